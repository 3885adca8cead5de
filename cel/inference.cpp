#include "cel/inference.hpp"

namespace dcm::cel {
namespace {

using K = Type::Kind;

bool is_dynamic_or_error(const Type* type) {
  return type->is_dynamic() || type->kind() == K::error;
}

bool is_container(const Type* type) {
  return type->kind() == K::list || type->kind() == K::map || type->kind() == K::optional;
}

bool can_be_null(const Type* type) {
  switch (type->kind()) {
    case K::null:
    case K::optional:
    case K::object:
    case K::any:
    case K::duration:
    case K::timestamp:
    case K::wrapper:
      return true;
    default:
      return false;
  }
}

}  // namespace

const Type* Inference::new_variable() {
  return pool_.make(K::parameter, "_var", {});
}

const Type* Inference::find(const Type* variable) const {
  const auto found = meaning_.find(variable);
  return found == meaning_.end() ? nullptr : found->second;
}

void Inference::set(const Type* variable, const Type* type) {
  changes_.emplace_back(variable, find(variable));
  meaning_[variable] = type;
}

void Inference::undo(std::size_t size) {
  for (; changes_.size() > size; changes_.pop_back()) {
    const auto [variable, before] = changes_.back();
    if (before == nullptr)
      meaning_.erase(variable);
    else
      meaning_[variable] = before;
  }
}

bool Inference::is_assignable(const Type* a, const Type* b) {
  const auto before = changes_.size();
  const bool fits = match(a, b);
  if (!fits) undo(before);
  return fits;
}

bool Inference::are_assignable(const std::vector<const Type*>& a,
                               const std::vector<const Type*>& b) {
  const auto before = changes_.size();
  const bool fits = match_all(a, b);
  if (!fits) undo(before);
  return fits;
}

bool Inference::match_all(std::span<const Type* const> a, std::span<const Type* const> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!match(a[i], b[i])) return false;
  return true;
}

bool Inference::match(const Type* a, const Type* b) {
  if (!take_step()) return true;
  if (b->kind() == K::parameter) {
    const auto [fits, is_bound] = bind(a, b);
    if (fits) return true;
    if (is_bound) return false;
  }
  if (a->kind() == K::parameter) return bind(b, a).first;
  if (is_dynamic_or_error(a) || is_dynamic_or_error(b)) return true;
  if (a->kind() == K::null) return can_be_null(b);
  if (b->kind() == K::null) return can_be_null(a);
  if (b->kind() == K::wrapper)
    return a->kind() == K::wrapper ? a->is_same(*b) : match(a, &b->parameter(0));
  if (a->kind() == K::wrapper) return match(&a->parameter(0), b);
  if (a->kind() == K::type) return b->kind() == K::type;
  if (is_container(a)) return a->kind() == b->kind() && match_all(a->parameters(), b->parameters());
  return a->is_same(*b);
}

std::pair<bool, bool> Inference::bind(const Type* type, const Type* variable) {
  if (type == variable) return {true, true};
  if (const Type* const bound = find(variable)) {
    if (type == bound) return {true, true};
    if (!match(type, bound)) return {false, true};
    const Type* const general = most_general(type, bound);
    if (!is_referenced_in(variable, general)) set(variable, general);
    return {true, true};
  }
  if (is_referenced_in(variable, type)) return {false, false};
  set(variable, type);
  return {true, false};
}

bool Inference::is_referenced_in(const Type* variable, const Type* type) {
  if (variable == type || !take_step()) return true;
  if (type->kind() == K::parameter) {
    const Type* const bound = find(type);
    return bound != nullptr && is_referenced_in(variable, bound);
  }
  for (const Type* parameter : type->parameters())
    if (is_referenced_in(variable, parameter)) return true;
  return false;
}

bool Inference::is_less_specific(const Type* a, const Type* b) {
  if (!take_step()) return true;
  if (a->is_dynamic() || a->kind() == K::parameter) return true;
  if (b->is_dynamic() || b->kind() == K::parameter) return false;
  if (a->kind() != b->kind()) return false;
  if (a->kind() == K::type) return true;
  if (!is_container(a)) return a->is_same(*b);
  for (std::size_t i = 0; i < a->parameters().size(); ++i)
    if (!is_less_specific(&a->parameter(i), &b->parameter(i))) return false;
  return true;
}

const Type* Inference::most_general(const Type* a, const Type* b) {
  return is_less_specific(a, b) ? a : b;
}

const Type* Inference::substitute(const Type* type, bool free_as_dyn) {
  if (!take_step()) return type;
  if (type->kind() == K::parameter) {
    if (const Type* const bound = find(type)) return substitute(bound, free_as_dyn);
    return free_as_dyn ? &types::dyn : type;
  }
  if (type->parameters().empty()) return type;
  std::vector<const Type*> parameters;
  bool is_new = false;
  for (const Type* parameter : type->parameters()) {
    parameters.push_back(substitute(parameter, free_as_dyn));
    is_new = is_new || parameters.back() != parameter;
  }
  return is_new ? pool_.make(type->kind(), type->name(), std::move(parameters)) : type;
}

const Type* Inference::instantiate(const Type* type,
                                   std::map<std::string_view, const Type*>& variables) {
  if (type->kind() == K::parameter) {
    const Type*& variable = variables[type->name()];
    if (variable == nullptr) variable = new_variable();
    return variable;
  }
  if (type->parameters().empty()) return type;
  std::vector<const Type*> parameters;
  for (const Type* parameter : type->parameters())
    parameters.push_back(instantiate(parameter, variables));
  return pool_.make(type->kind(), type->name(), std::move(parameters));
}

}  // namespace dcm::cel
