#include "cel/library.hpp"

#include <algorithm>

namespace dcm::cel {
namespace {

bool accepts(const Type& type, const Value& value, Arena& arena) {
  const auto kind = value_kind(type.kind());
  if (!kind) return type.kind() != Type::Kind::wrapper;
  if (!value.is(*kind)) return false;
  switch (*kind) {
    case Kind::object:
      return value.as_object().of->type_name == type.name();
    case Kind::list:
      return value.as_list().values.empty() ||
             accepts(type.parameter(0), value.as_list().values[0], arena);
    case Kind::map: {
      if (value.as_map().size() == 0) return true;
      const auto [key, item] = value.as_map().entry(0, arena);
      return accepts(type.parameter(0), key, arena) && accepts(type.parameter(1), item, arena);
    }
    default:
      return true;
  }
}

constexpr std::string_view kTypes[] = {
    "bool",      "bytes",  "double",    "duration", "int",  "list(A)",    "map(A, B)",
    "null_type", "string", "timestamp", "type(A)",  "uint", "optional(A)"};

}  // namespace

bool Overload::accepts(std::span<const Value> values, Arena& arena) const {
  if (values.size() != args.size()) return false;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!cel::accepts(*args[i], values[i], arena)) return false;
  return true;
}

Library::Library() {
  for (const auto text : kTypes) {
    const Type* const type = types_.parse(text);
    named_types_.emplace(type->name(), type);
  }
  for (const auto rows :
       {operators(), conversions(), time_functions(), optional_functions(), string_functions(),
        list_functions(), set_functions(), regex_functions(), map_functions()})
    add(rows);
}

const Type* Library::type(std::string_view text) {
  const auto known = texts_.find(text);
  if (known != texts_.end()) return known->second;
  return texts_.emplace(std::string(text), types_.parse(text)).first->second;
}

void Library::add(std::span<const FunctionRow> rows) {
  for (const FunctionRow& row : rows) {
    const auto signature = row.signature;
    const auto open = signature.find('(');
    // The result may contain brackets itself: it begins after the bracket that closes the
    // arguments.
    std::size_t end = open + 1;
    for (int depth = 1; end < signature.size(); ++end) {
      if (signature[end] == '(') ++depth;
      if (signature[end] == ')' && --depth == 0) break;
    }
    Overload overload{signature.substr(0, open),       false,   {},
                      type(signature.substr(end + 2)), row.run, row.cost};
    std::string_view rest = signature.substr(open + 1, end - open - 1);
    while (!rest.empty()) {
      int depth = 0;
      const auto at = std::ranges::find_if(rest, [&](char c) {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        return depth == 0 && (c == ',' || c == ';');
      });
      const auto size = static_cast<std::size_t>(at - rest.begin());
      overload.args.push_back(type(rest.substr(0, size)));
      if (size == rest.size()) break;
      overload.is_member = overload.is_member || rest[size] == ';';
      rest.remove_prefix(std::min(size + 2, rest.size()));
    }
    const auto& kept = overloads_.emplace_back(std::move(overload));
    functions_[std::string(kept.function)].push_back(&kept);
  }
}

void Library::add_variable(std::string name, const Type* type) {
  const std::size_t index = variables_.size();
  variables_.emplace(std::move(name), Variable{type, index});
}

void Library::add_object(std::string name, Fields fields) {
  named_types_.emplace(name, type(name));
  objects_.emplace(std::move(name), std::move(fields));
}

void Library::add_opaque(std::string name, TypeName type_name) {
  if (type_name == TypeName::can_be_written) named_types_.emplace(name, type(name));
  opaque_.insert(std::move(name));
}

void Library::set_field(std::string_view object, std::string name, const Type* type) {
  objects_.find(object)->second.insert_or_assign(std::move(name), type);
}

const std::vector<const Overload*>* Library::find_function(std::string_view name) const {
  const auto found = functions_.find(name);
  if (found != functions_.end()) return &found->second;
  return base_ == nullptr ? nullptr : base_->find_function(name);
}

const Library::Variable* Library::find_variable(std::string_view name) const {
  if (name.starts_with('.')) name.remove_prefix(1);
  const auto found = variables_.find(name);
  return found == variables_.end() ? nullptr : &found->second;
}

const Type* Library::find_type(std::string_view name) const {
  const auto found = named_types_.find(name);
  if (found != named_types_.end()) return found->second;
  return base_ == nullptr ? nullptr : base_->find_type(name);
}

const Library::Fields* Library::find_object(std::string_view name) const {
  const auto found = objects_.find(name);
  if (found != objects_.end()) return &found->second;
  return base_ == nullptr ? nullptr : base_->find_object(name);
}

}  // namespace dcm::cel
