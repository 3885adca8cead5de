// Constraints of a claim on the attributes of its devices.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "allocation/claim.hpp"
#include "cel/kubernetes/device.hpp"

namespace dcm::allocation {

// The devices added to a constraint so far. Borrows their attributes.
class ConstraintState {
 public:
  // With `list_types`, values are sets, and a scalar is a set of one (KEP-5491).
  ConstraintState(const Constraint& constraint, bool list_types)
      : constraint_(&constraint), list_types_(list_types) {}

  const Constraint& constraint() const { return *constraint_; }

  // False if the device contradicts those already added. Null means that the device lacks the
  // attribute.
  bool add(const cel::Attribute* attribute);
  // Removes the device that was added last.
  void remove();

 private:
  using Element = std::variant<std::int64_t, bool, std::string_view>;
  struct Set {
    bool is_version = false;
    std::vector<Element> elements = {};  // sorted
  };

  static std::optional<Set> set_of(const cel::Attribute& attribute);
  static Set intersection(const Set& a, const Set& b);
  bool add_scalar(const cel::Attribute& attribute);
  bool add_set(const cel::Attribute& attribute);

  const Constraint* constraint_;
  bool list_types_;
  std::vector<const cel::Attribute*> attributes_ = {};  // of the devices, in the order of adding
  // With list types: for a match, the intersection after each device; otherwise the set of each.
  std::vector<Set> sets_ = {};
};

// Compares scalars of one type. Lists and unknown values equal nothing.
bool is_same_scalar(const cel::Attribute& a, const cel::Attribute& b);

}  // namespace dcm::allocation
