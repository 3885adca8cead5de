#include "allocation/constraints.hpp"

#include <algorithm>
#include <iterator>

namespace dcm::allocation {
namespace {

using Kind = cel::Attribute::Kind;

// Versions are compared as strings here, whether valid or not.
Kind kind_of(const cel::Attribute& attribute) {
  if (attribute.kind() == Kind::malformed_version) return Kind::version;
  if (attribute.kind() == Kind::malformed_versions) return Kind::versions;
  return attribute.kind();
}

bool is_scalar(const cel::Attribute& attribute) {
  const Kind kind = kind_of(attribute);
  return kind == Kind::boolean || kind == Kind::integer || kind == Kind::string ||
         kind == Kind::version;
}

}  // namespace

bool is_same_scalar(const cel::Attribute& a, const cel::Attribute& b) {
  if (kind_of(a) != kind_of(b)) return false;
  switch (kind_of(a)) {
    case Kind::boolean:
      return a.as_boolean() == b.as_boolean();
    case Kind::integer:
      return a.as_integer() == b.as_integer();
    case Kind::string:
    case Kind::version:
      return a.as_text() == b.as_text();
    default:
      return false;
  }
}

bool ConstraintState::add(const cel::Attribute* attribute) {
  if (attribute == nullptr) return false;
  if (!(list_types_ ? add_set(*attribute) : add_scalar(*attribute))) return false;
  attributes_.push_back(attribute);
  return true;
}

void ConstraintState::remove() {
  attributes_.pop_back();
  if (list_types_) sets_.pop_back();
}

bool ConstraintState::add_scalar(const cel::Attribute& attribute) {
  if (attributes_.empty()) return true;
  if (constraint_->kind == Constraint::Kind::match_attribute) {
    return is_same_scalar(attribute, *attributes_.front());
  }
  return is_scalar(attribute) && std::ranges::none_of(attributes_, [&](const auto* other) {
           return is_same_scalar(attribute, *other);
         });
}

bool ConstraintState::add_set(const cel::Attribute& attribute) {
  std::optional<Set> set = set_of(attribute);
  if (!set) return false;
  if (constraint_->kind == Constraint::Kind::match_attribute) {
    if (!sets_.empty()) set = intersection(sets_.back(), *set);
    if (set->elements.empty()) return false;
  } else if (std::ranges::any_of(sets_, [&](const Set& other) {
               return !intersection(*set, other).elements.empty();
             })) {
    return false;
  }
  sets_.push_back(std::move(*set));
  return true;
}

std::optional<ConstraintState::Set> ConstraintState::set_of(const cel::Attribute& attribute) {
  Set set;
  const auto fill = [&](const auto& values) {
    for (const auto& each : values) set.elements.push_back(each);
  };
  switch (kind_of(attribute)) {
    case Kind::boolean:
      set.elements = {attribute.as_boolean()};
      break;
    case Kind::integer:
      set.elements = {attribute.as_integer()};
      break;
    case Kind::string:
    case Kind::version:
      set.elements = {attribute.as_text()};
      break;
    case Kind::booleans:
      fill(attribute.as_booleans());
      break;
    case Kind::integers:
      fill(attribute.as_integers());
      break;
    case Kind::strings:
    case Kind::versions:
      fill(attribute.as_texts());
      break;
    default:
      return std::nullopt;
  }
  set.is_version = kind_of(attribute) == Kind::version || kind_of(attribute) == Kind::versions;
  std::ranges::sort(set.elements);
  const auto repeated = std::ranges::unique(set.elements);
  set.elements.erase(repeated.begin(), repeated.end());
  return set;
}

// Empty if the types differ: elements of different types are never equal.
ConstraintState::Set ConstraintState::intersection(const Set& a, const Set& b) {
  Set common{a.is_version};
  if (a.is_version == b.is_version) {
    std::ranges::set_intersection(a.elements, b.elements, std::back_inserter(common.elements));
  }
  return common;
}

}  // namespace dcm::allocation
