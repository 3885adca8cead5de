// What ResourceClaims and DeviceClasses request, and allocations (resource.k8s.io/v1).
#include "allocation/json/decode.hpp"
#include "allocation/json/rows.hpp"
#include "client/api/json/decoder.hpp"
#include "controllers/api/fields.hpp"
#include "controllers/api/json/parts.hpp"

namespace dcm::allocation {
namespace {

bool read_operator(Reader& reader, value from, Toleration& out) {
  using Operator = Toleration::Operator;
  std::string_view text;
  if (!reader.view(from, text)) return false;
  const bool is_equal = text.empty() || text == "Equal";
  out.operator_ = is_equal           ? Operator::equal
                  : text == "Exists" ? Operator::exists
                                     : Operator::other;
  return true;
}

bool read_effect(Reader& reader, value from, Toleration& out) {
  std::string_view text;
  if (!reader.view(from, text)) return false;
  if (!text.empty()) out.effect = api::effect_of(text);
  return true;
}

bool read_toleration_field(Reader& reader, std::string_view key, value field, Toleration& out) {
  return read_row(reader, key, field, out, Row("key", &Toleration::key),
                  Row("value", &Toleration::value), Row("operator", &read_operator),
                  Row("effect", &read_effect));
}

bool read_tolerations(Reader& reader, value from, Ask& out) {
  return reader.each_item(from, [&](value item) {
    Toleration& read_here = out.tolerations.emplace_back();
    std::string_view text;
    const bool is_read = reader.raw_object(item, text, [&](std::string_view key, value field) {
      return read_toleration_field(reader, key, field, read_here);
    });
    out.toleration_texts.push_back({std::string(text)});
    return is_read;
  });
}

// `cel.expression` of a selector.
bool read_selectors(Reader& reader, value from, std::vector<SelectorText>& out) {
  return reader.each_item(from, [&](value item) {
    SelectorText& selector = out.emplace_back();
    const auto read_cel = [](Reader& cel_reader, value cel, SelectorText& text) {
      if (api::json::is_null(cel)) return true;
      return cel_reader.each_field(cel, [&](std::string_view key, value field) {
        return key != "expression" || cel_reader.text(field, text.emplace());
      });
    };
    return read_rows(reader, item, selector, Row("cel", read_cel));
  });
}

template <class T>
auto selectors_of(std::vector<SelectorText> T::* member) {
  return [member](Reader& reader, value from, T& out) {
    return read_selectors(reader, from, out.*member);
  };
}

bool read_amounts(Reader& reader, value from, std::vector<NamedQuantity>& out) {
  return reader.each_field(from, [&](std::string_view key, value field) {
    return read(reader, field, out.emplace_back(key, Quantity()).second);
  });
}

bool read_capacity(Reader& reader, value from, Ask& out) {
  if (api::json::is_null(from)) return true;
  out.capacity.emplace();
  return reader.each_field(from, [&](std::string_view key, value field) {
    return key != "requests" || read_amounts(reader, field, *out.capacity);
  });
}

bool read_derived(Reader& reader, value from, Ask& out) {
  using Derived = std::pair<std::string, std::string>;
  return reader.each_item(from, [&](value item) {
    return read_rows(reader, item, out.derived_attributes.emplace_back(),
                     Row("name", &Derived::first), Row("expression", &Derived::second));
  });
}

bool read_ask_field(Reader& reader, std::string_view key, value field, Ask& out) {
  return read_row(reader, key, field, out, Row("name", &Ask::name),
                  Row("deviceClassName", &Ask::device_class), Row("allocationMode", &Ask::mode),
                  Row("count", &Ask::count), Row("adminAccess", &Ask::admin_access),
                  Row("selectors", selectors_of(&Ask::selectors)),
                  Row("tolerations", &read_tolerations), Row("capacity", &read_capacity),
                  Row("derivedAttributes", &read_derived));
}

bool read_ask(Reader& reader, value from, Ask& out) {
  return reader.each_field(from, [&](std::string_view key, value field) {
    return read_ask_field(reader, key, field, out);
  });
}

bool read_alternatives(Reader& reader, value from, Request& out) {
  return reader.each_item(from, [&](value item) {
    if (!read_ask(reader, item, out.asks.emplace_back())) return false;
    out.asks.back().admin_access.reset();  // only exact requests have it
    return true;
  });
}

bool read_config_requests(Reader& reader, value from, DeviceConfig& out) {
  return read(reader, from, out.requests);
}

}  // namespace

bool read(Reader& reader, value from, Toleration& out) {
  return reader.each_field(from, [&](std::string_view key, value field) {
    return read_toleration_field(reader, key, field, out);
  });
}

bool read(Reader& reader, value from, Request& out) {
  Ask exactly;
  const bool is_read = reader.each_field(from, [&](std::string_view key, value field) {
    if (key == "name") return reader.text(field, out.name);
    if (key == "exactly") return read_ask(reader, field, exactly);
    if (key == "firstAvailable") return read_alternatives(reader, field, out);
    return read_ask_field(reader, key, field, exactly);  // v1beta1 has no `exactly` around them
  });
  out.is_prioritized = !out.asks.empty();
  if (!out.is_prioritized) {
    exactly.name = out.name;
    out.asks.push_back(std::move(exactly));
  }
  return is_read;
}

bool read(Reader& reader, value from, Constraint& out) {
  const auto attribute = [](Constraint::Kind kind) {
    return [kind](Reader& r, value text, Constraint& constraint) {
      if (api::json::is_null(text)) return true;
      // If both are set, match wins over distinct.
      if (constraint.kind == Constraint::Kind::match_attribute) return true;
      constraint.kind = kind;
      return r.text(text, constraint.attribute);
    };
  };
  return read_rows(reader, from, out,
                   Row("matchAttribute", attribute(Constraint::Kind::match_attribute)),
                   Row("distinctAttribute", attribute(Constraint::Kind::distinct_attribute)),
                   Row("requests", &Constraint::requests));
}

bool read(Reader& reader, value from, DeviceConfig& out) {
  return read_rows(reader, from, out, Row("opaque", &DeviceConfig::opaque),
                   Row("requests", &read_config_requests));
}

bool read_devices(Reader& reader, value from, ClaimSpec& out) {
  return read_rows(reader, from, out, Row("requests", &ClaimSpec::requests),
                   Row("constraints", &ClaimSpec::constraints), Row("config", &ClaimSpec::config));
}

bool read(Reader& reader, value from, ClaimSpec& out) {
  return read_rows(reader, from, out, Row("devices", &read_devices));
}

namespace {

template <class Member>
auto id_part(Member api::DeviceId::* member) {
  return [member](Reader& reader, value from, DeviceResult& out) {
    return read(reader, from, out.id.*member);
  };
}

bool read_source(Reader& reader, value from, ConfigResult& out) {
  std::string_view text;
  if (!reader.view(from, text)) return false;
  out.source =
      text == "FromClaim" ? ConfigResult::Source::from_claim : ConfigResult::Source::from_class;
  return true;
}

bool read_consumed(Reader& reader, value from, DeviceResult& out) {
  return read_amounts(reader, from, out.consumed_capacity);
}

}  // namespace

bool read(Reader& reader, value from, DeviceResult& out) {
  return read_rows(
      reader, from, out, Row("request", &DeviceResult::request),
      Row("driver", id_part(&api::DeviceId::driver)), Row("pool", id_part(&api::DeviceId::pool)),
      Row("device", id_part(&api::DeviceId::device)),
      Row("adminAccess", &DeviceResult::has_admin_access),
      Row("tolerations", &DeviceResult::tolerations), Row("shareID", &DeviceResult::share_id),
      Row("bindingConditions", &DeviceResult::binding_conditions),
      Row("bindingFailureConditions", &DeviceResult::binding_failure_conditions),
      Row("consumedCapacity", &read_consumed),
      Row("skipNodeOperations", &DeviceResult::skip_node_operations));
}

bool read(Reader& reader, value from, ConfigResult& out) {
  return read_rows(reader, from, out, Row("source", &read_source),
                   Row("requests", &ConfigResult::requests), Row("opaque", &ConfigResult::opaque));
}

bool read(Reader& reader, value from, AllocationResult& out) {
  const auto devices = [](Reader& r, value part, AllocationResult& result) {
    return read_rows(r, part, result, Row("results", &AllocationResult::devices),
                     Row("config", &AllocationResult::config));
  };
  return read_rows(reader, from, out, Row("devices", devices),
                   Row("nodeSelector", &AllocationResult::node_selector),
                   Row("allocationTimestamp", &AllocationResult::time));
}

bool DeviceClassFields::read_field(Reader& reader, std::string_view key, value field,
                                   DeviceClass& out) const {
  if (key == "metadata") {
    return api::json::read_metadata(
        reader, field, out.meta, [&](std::string_view name, value part) {
          return name != "creationTimestamp" || read(reader, part, out.created);
        });
  }
  if (key != "spec") return true;
  return read_rows(reader, field, out, Row("selectors", selectors_of(&DeviceClass::selectors)),
                   Row("config", &DeviceClass::config),
                   Row("extendedResourceName", &DeviceClass::extended_resource_name));
}

bool ClaimFields::read_field(Reader& reader, std::string_view key, value field, Claim& out) const {
  if (key == "metadata") return api::json::read_metadata(reader, field, out.meta);
  if (key == "spec") return read(reader, field, out.spec);
  if (key != "status") return true;
  const auto reserved_for = [](Reader& r, value list, Claim& claim) {
    return r.each_item(list, [&](value item) {
      return api::json::read_consumer(r, item, claim.reserved_for.emplace_back());
    });
  };
  return read_rows(reader, field, out, Row("allocation", &Claim::allocation),
                   Row("reservedFor", reserved_for));
}

bool AllocatedClaimFields::read_field(Reader& reader, std::string_view key, value field,
                                      Claim& out) const {
  return key == "spec" || ClaimFields().read_field(reader, key, field, out);
}

std::unique_ptr<api::Decoder<Claim>> make_allocated_claim_decoder() {
  return std::make_unique<api::json::JsonDecoder<Claim, AllocatedClaimFields>>();
}

std::unique_ptr<api::Decoder<Claim>> make_claim_decoder() {
  return std::make_unique<api::json::JsonDecoder<Claim, ClaimFields>>();
}

std::unique_ptr<api::Decoder<DeviceClass>> make_device_class_decoder() {
  return std::make_unique<api::json::JsonDecoder<DeviceClass, DeviceClassFields>>();
}

}  // namespace dcm::allocation
