// ResourcePoolStatusRequest (KEP-5677): a question whose spec never changes, and whose status is
// written once.

#include <fmt/format.h>

#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/conditions.hpp"
#include "apiserver/rules/device_attributes.hpp"
#include "apiserver/rules/device_names.hpp"
#include "apiserver/rules/names.hpp"
#include "apiserver/rules/strategies.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::int64_t kLimitDefault = 100;
constexpr std::int64_t kLimitMax = 1000;
constexpr std::size_t kPoolsMax = 1000;
constexpr std::size_t kConditionsMax = 10;
constexpr std::size_t kRowsMax = 32;
constexpr std::size_t kErrorBytesMax = 256;

void validate_driver(const JsonObject& object, const std::string& path, Causes& causes) {
  const std::string_view driver = text_at(object, {"driver"});
  if (driver.empty()) {
    causes.push_back(required_value(path + ".driver"));
  } else {
    validate_caseless_driver_name(driver, path + ".driver", causes);
  }
}

void validate_limit(const JsonObject& spec, Causes& causes) {
  const auto limit = integer_at(spec, {"limit"});
  if (limit && *limit > kLimitMax) {
    causes.push_back(invalid_value("spec.limit", Json(*limit),
                                   fmt::format("must be less than or equal to {}", kLimitMax)));
  }
  require_at_least(1, spec, "limit", "spec", causes);
}

void validate_spec(const JsonObject& spec, Causes& causes) {
  validate_driver(spec, "spec", causes);
  if (has(spec, {"poolName"})) {
    const std::string_view pool = text_at(spec, {"poolName"});
    if (pool.empty()) {
      causes.push_back(invalid_value("spec.poolName", Json(""), "segment 0: must not be empty"));
    } else {
      validate_allocated_pool_name(pool, "spec.poolName", causes);
    }
  }
  validate_limit(spec, causes);
  constexpr const char* kAttribute = "defaultPartitionTypeAttribute";
  if (has(spec, {kAttribute})) {
    validate_full_attribute_name(text_at(spec, {kAttribute}), std::string("spec.") + kAttribute,
                                 causes);
  }
}

void validate_pool_node(const JsonObject& pool, const std::string& path, Causes& causes) {
  if (!has(pool, {"nodeName"})) return;
  validate_name(NameRule::dns_subdomain, text_at(pool, {"nodeName"}), path + ".nodeName", causes);
}

void validate_pool_counts(const JsonObject& pool, const std::string& path, Causes& causes) {
  if (integer_at(pool, {"generation"}).value_or(0) == 0) {
    causes.push_back(required_value(path + ".generation"));
  }
  require_at_least(0, pool, "generation", path, causes);
  require_at_least(1, pool, "resourceSliceCount", path, causes);
  validate_counts(pool,
                  {"totalDevices", "allocatedDevices", "availableDevices", "unavailableDevices"},
                  path, causes);
}

void limit_rows(const JsonObject& object, Path list, const std::string& path, Causes& causes) {
  const std::size_t rows = array_at(object, list).size();
  if (rows > kRowsMax) causes.push_back(too_many(path, rows, kRowsMax));
}

void validate_pool(const JsonObject& pool, const std::string& path, Causes& causes) {
  validate_driver(pool, path, causes);
  const std::string_view name = text_at(pool, {"poolName"});
  if (name.empty()) {
    causes.push_back(required_value(path + ".poolName"));
  } else {
    validate_allocated_pool_name(name, path + ".poolName", causes);
  }
  validate_pool_counts(pool, path, causes);
  validate_pool_node(pool, path, causes);
  if (text_at(pool, {"validationError"}).size() > kErrorBytesMax) {
    causes.push_back(too_long(path + ".validationError", kErrorBytesMax));
  }
  limit_rows(pool, {"partitionSummary"}, path + ".partitionSummary", causes);
  limit_rows(pool, {"shareableSummary", "capacity"}, path + ".shareableSummary.capacity", causes);
}

void validate_pools(const JsonObject& status, Causes& causes) {
  const JsonArray& pools = array_at(status, {"pools"});
  if (pools.size() > kPoolsMax) {
    causes.push_back(too_many("status.pools", pools.size(), kPoolsMax));
    return;
  }
  for (const auto& [pool, at] : with_paths(pools, "status.pools")) validate_pool(pool, at, causes);
}

void validate_status(const JsonObject& status, Causes& causes) {
  const JsonArray& conditions = array_at(status, {"conditions"});
  validate_conditions(conditions, "status.conditions", causes);
  if (!has(status, {"poolCount"})) causes.push_back(required_value("status.poolCount"));
  require_at_least(0, status, "poolCount", "status", causes);
  validate_pools(status, causes);
  if (conditions.size() > kConditionsMax) {
    causes.push_back(too_many("status.conditions", conditions.size(), kConditionsMax));
  }
}

class PoolStatusStrategy final : public StatusStrategy {
 public:
  void set_defaults(JsonObject& object, const WriteContext&) const override {
    set_default(child(object, "spec"), "limit", Json(kLimitDefault));
  }

  // Without a status, unlike other kinds, which have an empty one.
  void prepare_create(JsonObject& object, const WriteContext& context) const override {
    StatusStrategy::prepare_create(object, context);
    object.erase("status");
  }

  void validate_create(const JsonObject& object, const WriteContext&,
                       Causes& causes) const override {
    validate_spec(object_at(object, {"spec"}), causes);
  }

  void prepare_update(JsonObject& next, const JsonObject& old, Endpoint endpoint,
                      const WriteContext& context) const override {
    const bool has_status = has(next, {"status"}) || has(old, {"status"});
    StatusStrategy::prepare_update(next, old, endpoint, context);
    if (has_status) {
      complete_conditions(next);
    } else {
      next.erase("status");
    }
  }

  void validate_update(const JsonObject& next, const JsonObject& old, Endpoint endpoint,
                       Causes& causes) const override {
    if (endpoint == Endpoint::main) return require_same_spec(next, old, causes);
    const Json* const before = find(old, {"status"});
    const Json* const now = find(next, {"status"});
    if (before == nullptr) {
      if (now != nullptr && now->is_object()) validate_status(now->get_object(), causes);
    } else if (now == nullptr || *now != *before) {
      // The real server shows a Go value here; clients ignore it.
      causes.push_back(invalid_value("status", Json(), "field is immutable"));
    }
  }
};

}  // namespace

const Strategy& pool_status_strategy() {
  static const PoolStatusStrategy kStrategy;
  return kStrategy;
}

}  // namespace dcm::apiserver
