#include "apiserver/text/cel_values.hpp"

namespace dcm::apiserver {

namespace {

class ObjectMap final : public cel::Map {
 public:
  explicit ObjectMap(const JsonObject* object) : object_(object) {}

  std::size_t size() const override { return object_->size(); }

  std::optional<cel::Value> find(cel::Value key, cel::Arena& arena) const override {
    if (!key.is(cel::Kind::string)) return std::nullopt;
    const Json* const member = object_->if_contains(key.as_text());
    if (member == nullptr) return std::nullopt;
    return cel_value(*member, arena);
  }

  bool contains(cel::Value key, cel::Arena&) const override {
    return key.is(cel::Kind::string) && object_->contains(key.as_text());
  }

  Entry entry(std::size_t index, cel::Arena& arena) const override {
    const auto& member = *(object_->begin() + static_cast<std::ptrdiff_t>(index));
    return {cel::Value::string(member.key()), cel_value(member.value(), arena)};
  }

 private:
  const JsonObject* object_;
};

cel::Value list_of(const JsonArray& array, cel::Arena& arena) {
  auto* const values = arena.array<cel::Value>(array.size());
  for (std::size_t i = 0; i < array.size(); ++i) values[i] = cel_value(array[i], arena);
  return cel::adopt_list({values, array.size()}, arena);
}

}  // namespace

cel::Value cel_value(const JsonObject* object, cel::Arena& arena) {
  return object == nullptr ? cel::Value() : cel::Value::map(arena.make<ObjectMap>(object));
}

cel::Value cel_value(const Json& json, cel::Arena& arena) {
  switch (json.kind()) {
    case boost::json::kind::null:
      return {};
    case boost::json::kind::bool_:
      return cel::Value::boolean(json.get_bool());
    case boost::json::kind::int64:
      return cel::Value::integer(json.get_int64());
    case boost::json::kind::uint64:  // no API type has such numbers
      return cel::Value::real(static_cast<double>(json.get_uint64()));
    case boost::json::kind::double_:
      return cel::Value::real(json.get_double());
    case boost::json::kind::string:
      return cel::Value::string(view(json.get_string()));
    case boost::json::kind::array:
      return list_of(json.get_array(), arena);
    case boost::json::kind::object:
      return cel_value(&json.get_object(), arena);
  }
  return {};
}

}  // namespace dcm::apiserver
