#include "apiserver/rules/device_counters.hpp"

#include <set>
#include <string_view>

#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/names.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::size_t kSetsMax = 8;          // of a slice
constexpr std::size_t kConsumedSetsMax = 2;  // by a device
constexpr std::size_t kCountersMax = 32;     // of a set

// Sets of counters, each with its name in the field `name`.
void validate_sets(const JsonArray& sets, std::size_t most, std::string_view name,
                   const std::string& path, Causes& causes) {
  if (sets.size() > most) return causes.push_back(too_many(path, sets.size(), most));
  std::set<std::string_view> seen;
  for (const auto& [set, at] : with_paths(sets, path)) {
    const std::string_view its_name = text_at(set, {name});
    require_name(NameRule::short_name, its_name, at + "." + std::string(name), causes);
    if (!seen.insert(its_name).second) causes.push_back(duplicate_value(at, set));
    const JsonObject& counters = object_at(set, {"counters"});
    const std::string counters_path = at + ".counters";
    if (counters.empty()) causes.push_back(required_value(counters_path));
    if (counters.size() > kCountersMax) {
      causes.push_back(too_many(counters_path, counters.size(), kCountersMax));
      continue;
    }
    for (const auto& counter : counters) {
      validate_name(NameRule::short_name, counter.key(), counters_path, causes);
    }
  }
}

}  // namespace

void validate_shared_counters(const JsonArray& sets, const std::string& path, Causes& causes) {
  validate_sets(sets, kSetsMax, "name", path, causes);
}

void validate_consumed_counters(const JsonArray& consumed, const std::string& path,
                                Causes& causes) {
  validate_sets(consumed, kConsumedSetsMax, "counterSet", path, causes);
}

}  // namespace dcm::apiserver
