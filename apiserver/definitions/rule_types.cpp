#include "apiserver/definitions/rule_types.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cel/parser.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::int64_t kRequestMax = std::int64_t{3} * 1024 * 1024;
// The length of what has none: numbers, objects, and, on a real server too, the keys of maps.
constexpr std::int64_t kNoLength = 0;

// Sizes of values as JSON, including quotes.
constexpr std::int64_t kDurationMin = 3;
constexpr std::int64_t kDurationMax = 32;
constexpr std::int64_t kDate = 12;
constexpr std::int64_t kTimeMin = 21;
constexpr std::int64_t kTimeMax = 32;
constexpr std::int64_t kStringMin = 2;
constexpr std::int64_t kBooleanMin = 4;
constexpr std::int64_t kNumberMin = 1;
constexpr std::int64_t kEmptyMin = 2;

RuleType scalar(const cel::Type& type, std::int64_t size_max, std::int64_t bytes_min) {
  return {&type, static_cast<std::uint64_t>(std::max<std::int64_t>(0, size_max)), bytes_min};
}

std::int64_t longest_value(const Structural& schema) {
  std::size_t longest = 0;
  for (const Json& value : *schema.values_allowed) {
    if (value.is_string()) longest = std::max(longest, value.get_string().size());
  }
  return static_cast<std::int64_t>(longest);
}

RuleType text_type(const Structural& schema) {
  const auto limit = schema.characters.max;
  if (schema.format == "byte") {
    return scalar(cel::types::bytes, limit.value_or(kRequestMax - 2), kStringMin);
  }
  if (schema.format == "duration") {
    return scalar(cel::types::duration, kDurationMax, kDurationMin);
  }
  if (schema.format == "date") return scalar(cel::types::timestamp, kDate, kDate);
  if (schema.format == "date-time") return scalar(cel::types::timestamp, kTimeMax, kTimeMin);
  // A code point has up to four bytes.
  if (limit) return scalar(cel::types::string, *limit * 4, kStringMin);
  if (schema.values_allowed) {
    return scalar(cel::types::string, longest_value(schema), kStringMin);
  }
  return scalar(cel::types::string, kRequestMax - 2, kStringMin);
}

class Declaration {
 public:
  explicit Declaration(cel::Library& library) : library_(library) {}

  std::optional<RuleType> declare(const Structural& schema, IsResource resource) {
    if (schema.is_int_or_string) {
      const std::int64_t size =
          schema.characters.max ? *schema.characters.max * 4 : kRequestMax - 2;
      return scalar(cel::types::dyn, size, 1);
    }
    if (schema.type == "array") return list(schema);
    if (schema.type == "object" && schema.has_values() && resource == IsResource::no) {
      return map(schema);
    }
    if (schema.type == "object" || resource == IsResource::yes) return object(schema, resource);
    if (schema.type == "string") return text_type(schema);
    if (schema.type == "boolean") return scalar(cel::types::boolean, kNoLength, kBooleanMin);
    if (schema.type == "number") return scalar(cel::types::real, kNoLength, kNumberMin);
    if (schema.type == "integer") return scalar(cel::types::integer, kNoLength, kNumberMin);
    return std::nullopt;
  }

 private:
  std::optional<RuleType> list(const Structural& schema) {
    if (schema.items == nullptr) return std::nullopt;
    auto item = declare(*schema.items, resource_of(*schema.items));
    if (!item) return std::nullopt;
    const std::int64_t items =
        schema.item_count.max.value_or((kRequestMax - 2) / (item->bytes_min + 1));
    RuleType type = scalar(*library_.types().list(item->type), items, kEmptyMin);
    type.element = std::make_unique<RuleType>(std::move(*item));
    return type;
  }

  std::optional<RuleType> map(const Structural& schema) {
    auto value = declare(*schema.values, resource_of(*schema.values));
    if (!value) return std::nullopt;
    const std::int64_t entries =
        schema.property_count.max.value_or((kRequestMax - 2) / (value->bytes_min + 6));
    RuleType type =
        scalar(*library_.types().map(&cel::types::string, value->type), entries, kEmptyMin);
    type.element = std::make_unique<RuleType>(std::move(*value));
    return type;
  }

  void add_field(RuleType& object, const Structural& schema, const std::string& name,
                 const Structural& property) {
    auto type = declare(property, resource_of(property));
    if (!type) return;
    const bool is_required = std::ranges::find(schema.required, name) != schema.required.end();
    if (is_required && !property.default_value) {
      object.bytes_min += static_cast<std::int64_t>(name.size()) + type->bytes_min + 4;
    }
    if (auto field = escaped(name)) object.fields.insert_or_assign(*field, std::move(*type));
  }

  void add_meta(RuleType& object) {
    const auto text = [] { return scalar(cel::types::string, kRequestMax - 2, kStringMin); };
    object.fields.insert_or_assign("apiVersion", text());
    object.fields.insert_or_assign("kind", text());
    RuleType metadata = scalar(cel::types::dyn, kNoLength, kEmptyMin);
    metadata.fields.emplace("name", text());
    metadata.fields.emplace("generateName", text());
    finish(metadata);
    object.fields.insert_or_assign("metadata", std::move(metadata));
  }

  // A separate object type with those fields.
  void finish(RuleType& object) {
    const std::string name = fmt::format("selfType.{}", count_++);
    cel::Library::Fields fields;
    for (const auto& [field, type] : object.fields) fields.emplace(field, type.type);
    library_.add_object(name, std::move(fields));
    object.type = library_.type(name);
  }

  RuleType object(const Structural& schema, IsResource resource) {
    RuleType type = scalar(cel::types::dyn, kNoLength, kEmptyMin);
    for (const auto& [name, property] : schema.properties) add_field(type, schema, name, property);
    if (resource == IsResource::yes) add_meta(type);
    finish(type);
    return type;
  }

  cel::Library& library_;
  std::size_t count_ = 0;
};

}  // namespace

std::optional<std::string> escaped(std::string_view property) {
  if (cel::is_reserved(property)) return fmt::format("__{}__", property);
  std::string name;
  for (std::size_t i = 0; i < property.size(); ++i) {
    const char c = property[i];
    const bool is_digit = c >= '0' && c <= '9';
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (property.substr(i).starts_with("__")) {
      name += "__underscores__";
      ++i;
    } else if (c == '.') {
      name += "__dot__";
    } else if (c == '-') {
      name += "__dash__";
    } else if (c == '/') {
      name += "__slash__";
    } else if (is_letter || c == '_' || (is_digit && i > 0)) {
      name += c;
    } else {
      return std::nullopt;
    }
  }
  return name.empty() ? std::nullopt : std::optional(std::move(name));
}

std::optional<std::uint64_t> RuleType::size_of(std::span<const std::string> path) const {
  const RuleType* at = this;
  for (const std::string& step : path) {
    if (step == "@items" || step == "@values") {
      at = at->element.get();
    } else if (step == "@keys") {
      return static_cast<std::uint64_t>(kNoLength);
    } else {
      const auto found = at->fields.find(step);
      at = found == at->fields.end() ? nullptr : &found->second;
    }
    if (at == nullptr) return std::nullopt;
  }
  return at->size_max;
}

std::optional<RuleType> declare_type(const Structural& schema, IsResource resource,
                                     cel::Library& library) {
  return Declaration(library).declare(schema, resource);
}

std::uint64_t cardinality_of(const RuleType& type) {
  return static_cast<std::uint64_t>(kRequestMax / (type.bytes_min + 1));
}

}  // namespace dcm::apiserver
