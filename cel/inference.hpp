// What type variables stand for: found while arguments are matched with signatures.
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "cel/types.hpp"

namespace dcm::cel {

class Inference {
 public:
  explicit Inference(TypePool& pool) : pool_(pool) {}

  const Type* new_variable();
  // May be assigned, either way round: dyn and errors to everything. Binds variables, unless the
  // answer is no.
  bool is_assignable(const Type* a, const Type* b);
  bool are_assignable(const std::vector<const Type*>& a, const std::vector<const Type*>& b);
  // With what the variables stand for; `free_as_dyn` replaces the others.
  const Type* substitute(const Type* type, bool free_as_dyn);
  // With new variables for the parameters of a signature.
  const Type* instantiate(const Type* type, std::map<std::string_view, const Type*>& variables);

  static const Type* most_general(const Type* a, const Type* b);

 private:
  bool match(const Type* a, const Type* b);
  bool match_all(std::span<const Type* const> a, std::span<const Type* const> b);
  // Whether `variable` can stand for `type`; second: it stands for something already.
  std::pair<bool, bool> bind(const Type* type, const Type* variable);
  bool is_referenced_in(const Type* variable, const Type* type) const;
  const Type* find(const Type* variable) const;
  void set(const Type* variable, const Type* type);
  void undo(std::size_t size);

  TypePool& pool_;
  std::unordered_map<const Type*, const Type*> meaning_;
  std::vector<std::pair<const Type*, const Type*>> changes_;  // and what was there before
};

}  // namespace dcm::cel
