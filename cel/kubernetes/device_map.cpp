#include "cel/kubernetes/device_map.hpp"

#include "cel/kubernetes/libraries.hpp"

namespace dcm::cel {
namespace {

template <typename Texts>
Value versions(const Texts& texts, Arena& arena) {
  Value* const values = arena.array<Value>(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i)
    values[i] = semver_value(Semver::parse(texts[i]).value_or(Semver()), arena);
  return adopt_list({values, texts.size()}, arena);
}

template <typename Items, typename Make>
Value list_of(const Items& items, Make make, Arena& arena) {
  Value* const values = arena.array<Value>(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) values[i] = make(items[i]);
  return adopt_list({values, items.size()}, arena);
}

Value value_of(const Attribute& attribute, Arena& arena) {
  switch (attribute.kind()) {
    case Attribute::Kind::boolean:
      return Value::boolean(attribute.as_boolean());
    case Attribute::Kind::integer:
      return Value::integer(attribute.as_integer());
    case Attribute::Kind::string:
      return Value::string(attribute.as_text());
    case Attribute::Kind::version:
      return semver_value(Semver::parse(attribute.as_text()).value_or(Semver()), arena);
    case Attribute::Kind::booleans:
      return list_of(attribute.as_booleans(), Value::boolean, arena);
    case Attribute::Kind::integers:
      return list_of(attribute.as_integers(), Value::integer, arena);
    case Attribute::Kind::strings:
      return list_of(attribute.as_texts(), Value::string, arena);
    case Attribute::Kind::versions:
      return versions(attribute.as_texts(), arena);
    default:
      return Value::error("unsupported attribute value");
  }
}

Value value_of(const Capacity& capacity, Arena& arena) {
  return quantity_value(capacity.value(), arena);
}

// The entries of one domain. Names without a domain belong to the driver's.
template <typename Item>
class Domain final : public Map {
 public:
  Domain(std::span<const Item> items, std::string_view driver, std::string_view domain)
      : items_(items), driver_(driver), domain_(domain) {}

  std::size_t size() const override {
    std::size_t count = 0;
    for (const Item& item : items_) count += is_here(item);
    return count;
  }

  std::optional<Value> find(Value key, Arena& arena) const override {
    if (!key.is(Kind::string)) return Value::error(kNoSuchOverload);
    const auto name = key.as_text();
    for (const Item& item : items_)
      if (item.identifier() == name && is_here(item)) return value_of(item, arena);
    return std::nullopt;
  }

  bool contains(Value key, Arena&) const override {
    if (!key.is(Kind::string)) return false;
    for (const Item& item : items_)
      if (item.identifier() == key.as_text() && is_here(item)) return true;
    return false;
  }

  Entry entry(std::size_t index, Arena& arena) const override {
    for (const Item& item : items_)
      if (is_here(item) && index-- == 0)
        return {Value::string(item.identifier()), value_of(item, arena)};
    return {};
  }

 private:
  bool is_here(const Item& item) const {
    const auto domain = item.domain();
    return (domain.empty() ? driver_ : domain) == domain_;
  }

  std::span<const Item> items_;
  std::string_view driver_, domain_;
};

// All domains. A look-up of a missing domain returns an empty map.
template <typename Item>
class Domains final : public Map {
 public:
  Domains(std::span<const Item> items, std::string_view driver) : items_(items), driver_(driver) {}

  std::size_t size() const override {
    std::size_t count = 0;
    for (std::size_t i = 0; i < items_.size(); ++i) count += is_first(i);
    return count;
  }

  std::optional<Value> find(Value key, Arena& arena) const override {
    const auto domain = key.is(Kind::string) ? key.as_text() : std::string_view();
    return Value::map(arena.make<Domain<Item>>(items_, driver_, domain));
  }

  bool contains(Value key, Arena&) const override {
    if (!key.is(Kind::string)) return false;
    for (const Item& item : items_)
      if (domain_of(item) == key.as_text()) return true;
    return false;
  }

  Entry entry(std::size_t index, Arena& arena) const override {
    for (std::size_t i = 0; i < items_.size(); ++i)
      if (is_first(i) && index-- == 0) {
        const Value key = Value::string(domain_of(items_[i]));
        return {key, *find(key, arena)};
      }
    return {};
  }

 private:
  std::string_view domain_of(const Item& item) const {
    return item.domain().empty() ? driver_ : item.domain();
  }

  bool is_first(std::size_t index) const {
    for (std::size_t i = 0; i < index; ++i)
      if (domain_of(items_[i]) == domain_of(items_[index])) return false;
    return true;
  }

  std::span<const Item> items_;
  std::string_view driver_;
};

class Device final : public Map {
 public:
  explicit Device(const DeviceView* view) : view_(view) {}

  std::size_t size() const override { return 4; }

  std::optional<Value> find(Value key, Arena& arena) const override {
    if (!key.is(Kind::string)) return std::nullopt;
    const auto name = key.as_text();
    if (name == "attributes")
      return Value::map(arena.make<Domains<Attribute>>(view_->attributes, view_->driver));
    if (name == "driver") return Value::string(view_->driver);
    if (name == "capacity")
      return Value::map(arena.make<Domains<Capacity>>(view_->capacity, view_->driver));
    if (name == "allowMultipleAllocations")
      return Value::boolean(view_->allow_multiple_allocations);
    return std::nullopt;
  }

  Entry entry(std::size_t index, Arena& arena) const override {
    constexpr std::string_view kNames[] = {"driver", "allowMultipleAllocations", "attributes",
                                           "capacity"};
    const Value key = Value::string(kNames[index]);
    return {key, *find(key, arena)};
  }

 private:
  const DeviceView* view_;
};

}  // namespace

Value device_value(const DeviceView& device, Arena& arena) {
  return Value::map(arena.make<Device>(&device));
}

}  // namespace dcm::cel
