// What ResourceClaims and DeviceClasses request, and allocations (resource.k8s.io/v1).
#include "allocation/json/decode.hpp"
#include "client/api/json/decoder.hpp"
#include "controllers/api/fields/parts.hpp"

namespace dcm::allocation {

using api::metadata;
using api::one;
using api::row;
using api::rows;
using api::Word;
using api::json::Source;

// ---- requests -----------------------------------------------------------------------------------

void from_word(std::string_view word, Toleration::Operator& out) {
  using enum Toleration::Operator;
  const bool is_equal = word.empty() || word == "Equal";
  out = is_equal ? equal : word == "Exists" ? exists : other;
}

namespace {

constexpr auto toleration() {
  constexpr auto set_effect = [](Word word, Toleration& out) {
    if (!word.empty()) from_word(word, out.effect.emplace());
  };
  return rows(row<"key">(&Toleration::key), row<"value">(&Toleration::value),
              row<"operator">(&Toleration::operator_), row<"effect">(one<Word>(set_effect)));
}

bool read_toleration(const Source& from, Ask& out) {
  Toleration& read = out.tolerations.emplace_back();
  std::string_view text;
  const bool is_read = from.raw(text, [&](std::string_view key, const Source& field) {
    return read_field(toleration(), key, field, read);
  });
  out.toleration_texts.push_back({std::string(text)});
  return is_read;
}

bool read_tolerations(const Source& from, Ask& out) {
  return from.each_item([&](const Source& item) { return read_toleration(item, out); });
}

// `cel.expression` of a selector.
template <class T>
constexpr auto selectors(std::vector<SelectorText> T::* member) {
  constexpr auto table = rows(row<"cel">([](const Source& from, SelectorText& selector) {
    if (from.is_null()) return true;
    return from.each_field([&](std::string_view key, const Source& field) {
      return key != "expression" || field.read(selector.emplace());
    });
  }));
  return row<"selectors">(api::list(member, table));
}

bool read_amounts(const Source& from, std::vector<NamedQuantity>& out) {
  return from.each_field([&](std::string_view key, const Source& field) {
    return field.read(out.emplace_back(key, Quantity()).second);
  });
}

bool read_capacity_requests(const Source& from, Ask& out) {
  return read_amounts(from, *out.capacity);
}

constexpr auto derived_attribute() {
  using Derived = std::pair<std::string, std::string>;
  return rows(row<"name">(&Derived::first), row<"expression">(&Derived::second));
}

constexpr auto ask() {
  constexpr auto make_capacity = [](Ask& out) { out.capacity.emplace(); };
  return rows(
      row<"name">(&Ask::name), row<"deviceClassName">(&Ask::device_class),
      row<"allocationMode">(&Ask::mode), row<"count">(&Ask::count),
      row<"adminAccess">(&Ask::admin_access), selectors(&Ask::selectors),
      row<"tolerations">(&read_tolerations),
      row<"capacity">(api::present(make_capacity, rows(row<"requests">(&read_capacity_requests)))),
      row<"derivedAttributes">(api::list(&Ask::derived_attributes, derived_attribute())));
}

void take_alternative(Ask alternative, Request& out) {
  alternative.admin_access.reset();  // only exact requests have it
  out.asks.push_back(std::move(alternative));
}

}  // namespace

bool read_json(const Source& from, Toleration& out) {
  return read_fields(from, out, toleration());
}

bool read_json(const Source& from, Request& out) {
  Ask exactly;
  const auto read_exactly = [&](const Source& part, Request&) {
    return read_fields(part, exactly, ask());
  };
  // v1beta1 has these fields directly in the request, without `exactly`.
  const auto read_flat = [&](std::string_view key, const Source& field, Request&) {
    return read_field(ask(), key, field, exactly);
  };
  const auto table = rows(row<"name">(&Request::name), row<"exactly">(read_exactly),
                          row<"firstAvailable">(api::each<Ask>(ask(), take_alternative)))
                         .otherwise(read_flat);
  const bool is_read = read_fields(from, out, table);
  out.is_prioritized = !out.asks.empty();
  if (!out.is_prioritized) {
    exactly.name = out.name;
    out.asks.push_back(std::move(exactly));
  }
  return is_read;
}

constexpr auto fields_of(const Constraint*) {
  constexpr auto attribute = [](Constraint::Kind kind) {
    return [kind](const Source& from, Constraint& out) {
      // If both are set, match wins over distinct.
      if (from.is_null() || out.kind == Constraint::Kind::match_attribute) return true;
      out.kind = kind;
      return from.read(out.attribute);
    };
  };
  return rows(row<"matchAttribute">(attribute(Constraint::Kind::match_attribute)),
              row<"distinctAttribute">(attribute(Constraint::Kind::distinct_attribute)),
              row<"requests">(&Constraint::requests));
}

constexpr auto fields_of(const DeviceConfig*) {
  return rows(row<"opaque">(&DeviceConfig::opaque), row<"requests">(&DeviceConfig::requests));
}

bool read_devices(const Source& from, ClaimSpec& out) {
  return read_fields(
      from, out,
      rows(row<"requests">(&ClaimSpec::requests), row<"constraints">(&ClaimSpec::constraints),
           row<"config">(&ClaimSpec::config)));
}

bool read_json(const Source& from, ClaimSpec& out) {
  return read_fields(from, out, rows(row<"devices">(&read_devices)));
}

// ---- allocations --------------------------------------------------------------------------------

void from_word(std::string_view word, ConfigResult::Source& out) {
  out = word == "FromClaim" ? ConfigResult::Source::from_claim : ConfigResult::Source::from_class;
}

bool read_json(const Source& from, DeviceResult& out) {
  constexpr auto read_consumed = [](const Source& part, DeviceResult& result) {
    return read_amounts(part, result.consumed_capacity);
  };
  constexpr auto table = api::result(
      &DeviceResult::id, row<"request">(&DeviceResult::request),
      row<"adminAccess">(&DeviceResult::has_admin_access),
      row<"tolerations">(&DeviceResult::tolerations), row<"shareID">(&DeviceResult::share_id),
      row<"bindingConditions">(&DeviceResult::binding_conditions),
      row<"bindingFailureConditions">(&DeviceResult::binding_failure_conditions),
      row<"consumedCapacity">(read_consumed),
      row<"skipNodeOperations">(&DeviceResult::skip_node_operations));
  return read_fields(from, out, table);
}

constexpr auto fields_of(const ConfigResult*) {
  return rows(row<"source">(&ConfigResult::source), row<"requests">(&ConfigResult::requests),
              row<"opaque">(&ConfigResult::opaque));
}

bool read_json(const Source& from, AllocationResult& out) {
  constexpr auto table = rows(row<"devices">(rows(row<"results">(&AllocationResult::devices),
                                                  row<"config">(&AllocationResult::config))),
                              row<"nodeSelector">(&AllocationResult::node_selector),
                              row<"allocationTimestamp">(&AllocationResult::time));
  return read_fields(from, out, table);
}

// ---- kinds --------------------------------------------------------------------------------------

constexpr auto fields_of(const DeviceClass*) {
  return rows(
      row<"metadata">(metadata(row<"creationTimestamp">(&DeviceClass::created))),
      row<"spec">(rows(selectors(&DeviceClass::selectors), row<"config">(&DeviceClass::config),
                       row<"extendedResourceName">(&DeviceClass::extended_resource_name))));
}

constexpr auto fields_of(const Claim*) {
  return rows(row<"metadata">(metadata()), row<"spec">(&Claim::spec),
              row<"status">(rows(row<"allocation">(&Claim::allocation),
                                 row<"reservedFor">(&Claim::reserved_for))));
}

template <>
bool JsonFields<Claim>::read_field(std::string_view, std::string_view key, const Source& from,
                                   Claim& out) const {
  return api::read_field(api::kFieldsOf<Claim>, key, from, out);
}

std::unique_ptr<api::Decoder<Claim>> make_allocated_claim_decoder() {
  return api::json::make_decoder<Claim>(AllocatedClaimFields());
}

std::unique_ptr<api::Decoder<Claim>> make_claim_decoder() {
  return api::json::make_decoder<Claim>(JsonFields<Claim>());
}

template <>
bool JsonFields<DeviceClass>::read_field(std::string_view, std::string_view key, const Source& from,
                                         DeviceClass& out) const {
  return api::read_field(api::kFieldsOf<DeviceClass>, key, from, out);
}

std::unique_ptr<api::Decoder<DeviceClass>> make_device_class_decoder() {
  return api::json::make_decoder<DeviceClass>(JsonFields<DeviceClass>());
}

}  // namespace dcm::allocation
