// ResourceSlices (resource.k8s.io/v1).
#include <algorithm>

#include "allocation/json/decode.hpp"
#include "allocation/json/rows.hpp"
#include "client/api/json/decoder.hpp"
#include "controllers/api/fields.hpp"

namespace dcm::allocation {

bool read(Reader& reader, value from, NodeRequirement& out) {
  return read_rows(reader, from, out, Row("key", &NodeRequirement::key),
                   Row("operator", &NodeRequirement::operator_),
                   Row("values", &NodeRequirement::values));
}

bool read(Reader& reader, value from, NodeSelectorTerm& out) {
  return read_rows(reader, from, out, Row("matchExpressions", &NodeSelectorTerm::match_expressions),
                   Row("matchFields", &NodeSelectorTerm::match_fields));
}

bool read(Reader& reader, value from, NodeSelector& out) {
  return read_rows(reader, from, out, Row("nodeSelectorTerms", &NodeSelector::terms));
}

bool read(Reader& reader, value from, std::vector<Counter>& out) {
  return reader.each_field(from, [&](std::string_view name, value field) {
    Counter& counter = out.emplace_back(name);
    return read_rows(reader, field, counter, Row("value", &Counter::value));
  });
}

bool read(Reader& reader, value from, CounterSet& out) {
  return read_rows(reader, from, out, Row("name", &CounterSet::name),
                   Row("counters", &CounterSet::counters));
}

bool read(Reader& reader, value from, CounterUse& out) {
  return read_rows(reader, from, out, Row("counterSet", &CounterUse::set),
                   Row("counters", &CounterUse::counters),
                   Row("compatibilityGroups", &CounterUse::compatibility_groups));
}

bool read(Reader& reader, value from, Taint& out) {
  return read_rows(reader, from, out, Row("key", &Taint::key), Row("value", &Taint::value),
                   Row("effect", &Taint::effect));
}

bool read(Reader& reader, value from, CapacityRange& out) {
  return read_rows(reader, from, out, Row("min", &CapacityRange::min),
                   Row("max", &CapacityRange::max), Row("step", &CapacityRange::step));
}

bool read(Reader& reader, value from, RequestPolicy& out) {
  return read_rows(reader, from, out, Row("default", &RequestPolicy::default_),
                   Row("validValues", &RequestPolicy::valid_values),
                   Row("validRange", &RequestPolicy::valid_range));
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

// Reads a device. Its strings are stored in the slice, attribute names once for all devices.
class DeviceReader {
 public:
  DeviceReader(Reader& reader, Slice& slice) : reader_(reader), texts_(slice.texts) {}

  bool read_device(value from, Device& out) {
    Rare rare;
    const bool is_read = read_fields(from, out, rare);
    if (rare.is_there) out.rare = std::make_unique<const DeviceExtras>(std::move(rare.extras));
    return is_read;
  }

 private:
  struct Rare {
    DeviceExtras extras = {};
    bool is_there = false;
  };

  bool read_fields(value from, Device& out, Rare& found) {
    const auto rare = [&](auto DeviceExtras::* member) {
      return [&, member](Reader& reader, value field, Device&) {
        if (api::json::is_null(field)) return true;
        found.is_there = true;
        return read(reader, field, found.extras.*member);
      };
    };
    const auto choice = [&](auto NodeChoice::* member) {
      return [&, member](Reader& reader, value field, Device&) {
        found.is_there = true;
        return read(reader, field, found.extras.nodes.*member);
      };
    };
    return read_rows(
        reader_, from, out, Row("name", &Device::name),
        Row("allowMultipleAllocations", &Device::allow_multiple),
        Row("attributes",
            [this](Reader&, value map, Device& device) { return read_attributes(map, device); }),
        Row("capacity",
            [this](Reader&, value map, Device& device) { return read_capacity(map, device); }),
        Row("consumesCounters", rare(&DeviceExtras::counters)),
        Row("taints", rare(&DeviceExtras::taints)),
        Row("bindingConditions", rare(&DeviceExtras::binding_conditions)),
        Row("bindingFailureConditions", rare(&DeviceExtras::binding_failure_conditions)),
        Row("bindsToNode", rare(&DeviceExtras::binds_to_node)),
        Row("nodeName", choice(&NodeChoice::node_name)),
        Row("allNodes", choice(&NodeChoice::all_nodes)),
        Row("nodeSelector", choice(&NodeChoice::selector)),
        // v1beta1 has all but the name in here.
        Row("basic", [&](Reader&, value basic, Device& device) {
          return read_fields(basic, device, found);
        }));
  }

  std::string_view name(std::string_view text) {
    const auto known = std::ranges::find(names_, text);
    return known != names_.end() ? *known : names_.emplace_back(texts_.keep(text));
  }

  bool read_attributes(value map, Device& device) {
    const bool is_read = reader_.each_field(map, [&](std::string_view key, value field) {
      return read_attribute(name(key), field, device.attributes);
    });
    device.attributes.shrink_to_fit();
    return is_read;
  }

  bool read_attribute(std::string_view key, value from, std::vector<cel::Attribute>& out) {
    cel::Attribute attribute = cel::Attribute::unsupported(key);
    Field best = Field::none;
    const auto take = [&](Field field, auto read_value) {
      return [&, field, read_value](Reader&, value part, cel::Attribute&) {
        if (api::json::is_null(part)) return true;
        return read_value(part, [&](cel::Attribute made) {
          if (field < best) attribute = made, best = field;
        });
      };
    };
    const auto text = [&](auto make) {
      return [&, make](value part, auto found) {
        std::string_view read;
        if (!reader_.view(part, read)) return false;
        found(make(key, texts_.keep(read)));
        return true;
      };
    };
    const auto texts = [&](auto make) {
      return [&, make](value part, auto found) {
        return read_texts(part, [&](auto list) { found(make(key, list)); });
      };
    };
    const bool is_read =
        read_rows(reader_, from, attribute,
                  Row("int", take(Field::integer,
                                  [&](value part, auto found) {
                                    std::int64_t number = 0;
                                    if (!reader_.integer(part, number)) return false;
                                    found(cel::Attribute::integer(key, number));
                                    return true;
                                  })),
                  Row("bool", take(Field::boolean,
                                   [&](value part, auto found) {
                                     bool flag = false;
                                     if (!reader_.flag(part, flag)) return false;
                                     found(cel::Attribute::boolean(key, flag));
                                     return true;
                                   })),
                  Row("string", take(Field::string, text(&cel::Attribute::string))),
                  Row("version", take(Field::version, text(&cel::Attribute::version))),
                  Row("ints", take(Field::ints,
                                   [&](value part, auto found) {
                                     std::vector<std::int64_t> list;
                                     if (!read(reader_, part, list)) return false;
                                     if (!list.empty())
                                       found(cel::Attribute::integers(key, texts_.keep_list(list)));
                                     return true;
                                   })),
                  Row("bools", take(Field::bools,
                                    [&](value part, auto found) {
                                      return read_flags(part, [&](auto flags) {
                                        found(cel::Attribute::booleans(key, flags));
                                      });
                                    })),
                  Row("strings", take(Field::strings, texts(&cel::Attribute::strings))),
                  Row("versions", take(Field::versions, texts(&cel::Attribute::versions))));
    out.push_back(attribute);
    return is_read;
  }

  template <class OnList>
  bool read_flags(value from, OnList on_list) {
    std::vector<std::uint8_t> flags;
    const bool is_read = reader_.each_item(from, [&](value item) {
      bool flag = false;
      if (!reader_.flag(item, flag)) return false;
      flags.push_back(flag ? 1 : 0);
      return true;
    });
    static_assert(sizeof(bool) == 1);
    const auto kept = texts_.keep_list(flags);
    if (!kept.empty()) on_list(std::span(reinterpret_cast<const bool*>(kept.data()), kept.size()));
    return is_read;
  }

  template <class OnList>
  bool read_texts(value from, OnList on_list) {
    std::vector<std::string_view> list;
    const bool is_read = reader_.each_item(from, [&](value item) {
      std::string_view text;
      if (!reader_.view(item, text)) return false;
      list.push_back(texts_.keep(text));
      return true;
    });
    if (!list.empty()) on_list(texts_.keep_list(list));
    return is_read;
  }

  bool read_capacity(value map, Device& device) {
    struct Capacity {
      Quantity value;
      std::optional<RequestPolicy> policy;
    };
    bool has_policies = false;
    const bool is_read = reader_.each_field(map, [&](std::string_view key, value field) {
      Capacity capacity;
      const std::string_view kept = name(key);
      if (!read_rows(reader_, field, capacity, Row("value", &Capacity::value),
                     Row("requestPolicy", &Capacity::policy))) {
        return false;
      }
      device.capacity.emplace_back(kept, capacity.value);
      has_policies |= capacity.policy.has_value();
      device.policies.push_back(
          capacity.policy ? std::make_unique<const RequestPolicy>(std::move(*capacity.policy))
                          : nullptr);
      return true;
    });
    device.capacity.shrink_to_fit();
    if (!has_policies) device.policies.clear();
    return is_read;
  }

  Reader& reader_;
  Texts& texts_;
  std::vector<std::string_view> names_;
};

bool read_pool(Reader& reader, value from, Slice& out) {
  return read_rows(reader, from, out, Row("name", &Slice::pool),
                   Row("generation", &Slice::generation),
                   Row("resourceSliceCount", &Slice::slice_count));
}

bool read_devices(Reader& reader, value from, Slice& out) {
  DeviceReader devices(reader, out);
  const bool is_read = reader.each_item(
      from, [&](value item) { return devices.read_device(item, out.devices.emplace_back()); });
  out.devices.shrink_to_fit();
  return is_read;
}

template <class Member>
auto choice(Member NodeChoice::* member) {
  return [member](Reader& reader, value from, Slice& out) {
    return read(reader, from, out.nodes.*member);
  };
}

bool read_spec(Reader& reader, value from, Slice& out) {
  return read_rows(reader, from, out, Row("driver", &Slice::driver), Row("pool", &read_pool),
                   Row("nodeName", choice(&NodeChoice::node_name)),
                   Row("allNodes", choice(&NodeChoice::all_nodes)),
                   Row("nodeSelector", choice(&NodeChoice::selector)),
                   Row("perDeviceNodeSelection", &Slice::per_device_nodes),
                   Row("skipNodeOperations", &Slice::skip_node_operations),
                   Row("partitionTypeAttribute", &Slice::partition_attribute),
                   Row("sharedCounters", &Slice::shared_counters), Row("devices", &read_devices));
}

}  // namespace

bool SliceFields::read_field(Reader& reader, std::string_view key, value field, Slice& out) const {
  if (key == "metadata") return api::json::read_metadata(reader, field, out.meta);
  return read_row(reader, key, field, out, Row("spec", &read_spec));
}

std::unique_ptr<api::Decoder<Slice>> make_slice_decoder() {
  return std::make_unique<api::json::JsonDecoder<Slice, SliceFields>>();
}

}  // namespace dcm::allocation
