// Types bound to type variables: found by matching arguments with signatures.
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
  // Whether one type may be assigned to the other, in either direction: dyn and errors fit
  // everything. Binds variables if the answer is yes.
  bool is_assignable(const Type* a, const Type* b);
  bool are_assignable(const std::vector<const Type*>& a, const std::vector<const Type*>& b);
  // The type with its variables replaced; `free_as_dyn` replaces unbound ones by dyn.
  const Type* substitute(const Type* type, bool free_as_dyn);
  // The type with fresh variables in place of the parameters of a signature.
  const Type* instantiate(const Type* type, std::map<std::string_view, const Type*>& variables);

  const Type* most_general(const Type* a, const Type* b);

  // Whether the types contain each other so often that this gave up: its answers mean nothing then.
  bool is_exhausted() const { return steps_ > kStepsMax; }

 private:
  // Some 20 ns each. An expression of 10 KiB usually takes less than a tenth of them.
  static constexpr std::size_t kStepsMax = 5'000'000;
  bool take_step() { return ++steps_ <= kStepsMax; }

  bool match(const Type* a, const Type* b);
  bool match_all(std::span<const Type* const> a, std::span<const Type* const> b);
  // Whether `variable` can be bound to `type`, and whether it is bound already.
  std::pair<bool, bool> bind(const Type* type, const Type* variable);
  bool is_referenced_in(const Type* variable, const Type* type);
  bool is_less_specific(const Type* a, const Type* b);
  const Type* find(const Type* variable) const;
  void set(const Type* variable, const Type* type);
  void undo(std::size_t size);

  TypePool& pool_;
  std::unordered_map<const Type*, const Type*> meaning_;
  std::vector<std::pair<const Type*, const Type*>> changes_;  // with the previous binding
  std::size_t steps_ = 0;
};

}  // namespace dcm::cel
