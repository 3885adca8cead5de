// ResourceSlices (resource.k8s.io/v1), and the node selectors in them.
#include <algorithm>

#include "allocation/json/decode.hpp"
#include "client/api/json/decoder.hpp"
#include "controllers/api/fields/parts.hpp"

namespace dcm::allocation {

using api::at;
using api::one;
using api::row;
using api::rows;
using api::json::Source;

constexpr auto fields_of(const NodeRequirement*) {
  return rows(row<"key">(&NodeRequirement::key), row<"operator">(&NodeRequirement::operator_),
              row<"values">(&NodeRequirement::values));
}

constexpr auto fields_of(const NodeSelectorTerm*) {
  return rows(row<"matchExpressions">(&NodeSelectorTerm::match_expressions),
              row<"matchFields">(&NodeSelectorTerm::match_fields));
}

bool read_json(const Source& from, NodeSelector& out) {
  return read_fields(from, out, rows(row<"nodeSelectorTerms">(&NodeSelector::terms)));
}

namespace {

// A counter's name is the key of its entry.
bool read_counters(const Source& from, std::vector<Counter>& out) {
  return from.each_field([&](std::string_view name, const Source& field) {
    return read_fields(field, out.emplace_back(name), rows(row<"value">(&Counter::value)));
  });
}

template <class T>
constexpr auto counters(std::vector<Counter> T::* member) {
  return row<"counters">(
      [member](const Source& from, T& out) { return read_counters(from, out.*member); });
}

}  // namespace

constexpr auto fields_of(const CounterSet*) {
  return rows(row<"name">(&CounterSet::name), counters(&CounterSet::counters));
}

constexpr auto fields_of(const CounterUse*) {
  return rows(row<"counterSet">(&CounterUse::set), counters(&CounterUse::counters),
              row<"compatibilityGroups">(&CounterUse::compatibility_groups));
}

constexpr auto fields_of(const Taint*) {
  return rows(row<"key">(&Taint::key), row<"value">(&Taint::value), row<"effect">(&Taint::effect));
}

constexpr auto fields_of(const CapacityRange*) {
  return rows(row<"min">(&CapacityRange::min), row<"max">(&CapacityRange::max),
              row<"step">(&CapacityRange::step));
}

constexpr auto fields_of(const RequestPolicy*) {
  return rows(row<"default">(&RequestPolicy::default_),
              row<"validValues">(&RequestPolicy::valid_values),
              row<"validRange">(&RequestPolicy::valid_range));
}

namespace {

// Which field of an attribute value wins if several are set: the first of these.
enum class Field : std::uint8_t {
  ints,
  bools,
  strings,
  versions,
  integer,
  boolean,
  string,
  version,
  none
};

struct Flag {
  bool is_set = false;
};
bool read_json(const Source& from, Flag& out) {
  return from.flag(out.is_set);
}

// An attribute as it is read. Its texts and lists go to the slice.
struct AttributePart {
  std::string_view key;
  Texts& texts;
  cel::Attribute attribute = cel::Attribute::unsupported(key);
  Field best = Field::none;

  static std::int64_t keep(std::int64_t number) { return number; }
  static bool keep(bool flag) { return flag; }
  std::string_view keep(std::string_view text) { return texts.keep(text); }
  std::span<const std::int64_t> keep(const std::vector<std::int64_t>& numbers) {
    return texts.keep_list(numbers);
  }
  std::span<const bool> keep(const std::vector<Flag>& flags) {
    static_assert(sizeof(Flag) == sizeof(bool));
    const auto kept = texts.keep_list(flags);
    return {reinterpret_cast<const bool*>(kept.data()), kept.size()};
  }
  std::span<const std::string_view> keep(std::vector<std::string_view> list) {
    for (std::string_view& text : list) text = texts.keep(text);
    return texts.keep_list(list);
  }
};

template <class V>
bool is_empty_list(const V& value) {
  if constexpr (api::List<V>) return value.empty();
  return false;
}

template <api::FieldName kName, class V, class Make>
constexpr auto value_row(Field field, Make make) {
  return row<kName>(one<std::optional<V>>([field, make](std::optional<V> read, AttributePart& to) {
    if (!read || is_empty_list(*read) || field >= to.best) return;
    to.attribute = make(to.key, to.keep(*std::move(read)));
    to.best = field;
  }));
}

using Strings = std::vector<std::string_view>;
constexpr auto fields_of(const AttributePart*) {
  using cel::Attribute;
  return rows(value_row<"int", std::int64_t>(Field::integer, &Attribute::integer),
              value_row<"bool", bool>(Field::boolean, &Attribute::boolean),
              value_row<"string", std::string_view>(Field::string, &Attribute::string),
              value_row<"version", std::string_view>(Field::version, &Attribute::version),
              value_row<"ints", std::vector<std::int64_t>>(Field::ints, &Attribute::integers),
              value_row<"bools", std::vector<Flag>>(Field::bools, &Attribute::booleans),
              value_row<"strings", Strings>(Field::strings, &Attribute::strings),
              value_row<"versions", Strings>(Field::versions, &Attribute::versions));
}

// The strings of a slice's devices: attribute names once for all devices.
class DeviceTexts {
 public:
  explicit DeviceTexts(Texts& texts) : texts_(texts) {}

  std::string_view name(std::string_view text) {
    const auto known = std::ranges::find(names_, text);
    return known != names_.end() ? *known : names_.emplace_back(texts_.keep(text));
  }
  Texts& texts() { return texts_; }

 private:
  Texts& texts_;
  std::vector<std::string_view> names_;
};

// A device while it is read. Its strings are stored in the slice.
struct DevicePart {
  Device& device;
  DeviceTexts& texts;
  DeviceExtras extras = {};
  bool has_extras = false;
};

bool read_attributes(const Source& from, DevicePart& part) {
  auto& attributes = part.device.attributes;
  const bool is_read = from.each_field([&](std::string_view key, const Source& field) {
    AttributePart read{part.texts.name(key), part.texts.texts()};
    if (!field.read(read)) return false;
    attributes.push_back(read.attribute);
    return true;
  });
  attributes.shrink_to_fit();
  return is_read;
}

struct CapacityPart {
  Quantity value;
  std::optional<RequestPolicy> policy;
};
constexpr auto fields_of(const CapacityPart*) {
  return rows(row<"value">(&CapacityPart::value), row<"requestPolicy">(&CapacityPart::policy));
}

bool read_capacity(const Source& from, DevicePart& part) {
  Device& device = part.device;
  bool has_policies = false;
  const bool is_read = from.each_field([&](std::string_view key, const Source& field) {
    CapacityPart read;
    if (!field.read(read)) return false;
    device.capacity.emplace_back(part.texts.name(key), read.value);
    has_policies |= read.policy.has_value();
    device.policies.push_back(
        read.policy ? std::make_unique<const RequestPolicy>(*std::move(read.policy)) : nullptr);
    return true;
  });
  device.capacity.shrink_to_fit();
  if (!has_policies) device.policies.clear();
  return is_read;
}

template <class M>
constexpr auto rare(M DeviceExtras::* member) {
  return [member](const Source& from, DevicePart& part) {
    if (from.is_null()) return true;
    part.has_extras = true;
    return from.read(part.extras.*member);
  };
}

// The node choice of a slice or a device; `to` turns a member into the target of a row.
template <class To>
constexpr auto node_choice(To to) {
  return rows(row<"nodeName">(to(&NodeChoice::node_name)),
              row<"allNodes">(to(&NodeChoice::all_nodes)),
              row<"nodeSelector">(to(&NodeChoice::selector)));
}

constexpr auto device_rows() {
  constexpr auto choice = [](auto member) {
    return [member](const Source& from, DevicePart& part) {
      part.has_extras = true;
      return from.read(part.extras.nodes.*member);
    };
  };
  return rows(row<"allowMultipleAllocations">([](const Source& from, DevicePart& part) {
                return from.read(part.device.allow_multiple);
              }),
              row<"attributes">(&read_attributes), row<"capacity">(&read_capacity),
              row<"consumesCounters">(rare(&DeviceExtras::counters)),
              row<"taints">(rare(&DeviceExtras::taints)),
              row<"bindingConditions">(rare(&DeviceExtras::binding_conditions)),
              row<"bindingFailureConditions">(rare(&DeviceExtras::binding_failure_conditions)),
              row<"bindsToNode">(rare(&DeviceExtras::binds_to_node))) +
         node_choice(choice);
}

constexpr auto fields_of(const DevicePart*) {
  constexpr auto read_name = [](const Source& from, DevicePart& part) {
    return from.read(part.device.name);
  };
  // v1beta1 has all but the name in `basic`.
  return rows(row<"name">(read_name), row<"basic">(device_rows())) + device_rows();
}

bool read_slice_devices(const Source& from, Slice& out) {
  DeviceTexts texts(out.texts);
  const bool is_read = from.each_item([&](const Source& item) {
    DevicePart part{out.devices.emplace_back(), texts};
    if (!item.read(part)) return false;
    if (part.has_extras) {
      part.device.rare = std::make_unique<const DeviceExtras>(std::move(part.extras));
    }
    return true;
  });
  out.devices.shrink_to_fit();
  return is_read;
}

}  // namespace

constexpr auto fields_of(const Slice*) {
  constexpr auto choice = [](auto member) { return at(&Slice::nodes, member); };
  return rows(row<"metadata">(api::metadata()),
              row<"spec">(rows(row<"driver">(&Slice::driver),
                               row<"pool">(api::pool(&Slice::pool, &Slice::generation,
                                                     &Slice::slice_count)),
                               row<"perDeviceNodeSelection">(&Slice::per_device_nodes),
                               row<"skipNodeOperations">(&Slice::skip_node_operations),
                               row<"partitionTypeAttribute">(&Slice::partition_attribute),
                               row<"sharedCounters">(&Slice::shared_counters),
                               row<"devices">(&read_slice_devices)) +
                          node_choice(choice)));
}

template <>
bool JsonFields<Slice>::read_field(std::string_view, std::string_view key, const Source& from,
                                   Slice& out) const {
  return api::read_field(api::kFieldsOf<Slice>, key, from, out);
}

std::unique_ptr<api::Decoder<Slice>> make_slice_decoder() {
  return api::json::make_decoder<Slice>(JsonFields<Slice>());
}

}  // namespace dcm::allocation
