#include "playground/taint/edit_taints.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "controllers/common/explanation.hpp"
#include "runtime/json.hpp"

namespace dcm::playground {
namespace {

namespace json = boost::json;
using runtime::array_at;
using runtime::Reason;
using runtime::text_at;

bool is_same(const json::value& taint, const Taint& other) {
  return text_at(taint, "/key") == other.key &&
         (other.effect.empty() || text_at(taint, "/effect") == other.effect);
}

// Removes the taints selected by `which`; returns whether there were any.
bool take_out(json::array& taints, const Taint& which) {
  json::array rest;
  for (const json::value& taint : taints) {
    if (!is_same(taint, which)) rest.push_back(taint);
  }
  const bool was_there = rest.size() < taints.size();
  taints = std::move(rest);
  return was_there;
}

json::object encode(const Taint& taint) {
  json::object made{{"key", taint.key}};
  if (!taint.value.empty()) made["value"] = taint.value;
  made["effect"] = taint.effect;
  return made;
}

runtime::Result<> change(json::array& taints, const TaintChanges& changes) {
  for (const Taint& taint : changes.remove) {
    if (!take_out(taints, taint)) {
      return runtime::fail(Reason::object_not_found,
                           fmt::format("taint \"{}\" not found", taint.str()));
    }
  }
  for (const Taint& taint : changes.add) {
    if (take_out(taints, taint) && changes.overwrite == Overwrite::no) {
      return runtime::fail(
          Reason::already_exists,
          fmt::format("there is a taint {}:{} already; --overwrite takes its place", taint.key,
                      taint.effect));
    }
    taints.push_back(encode(taint));
  }
  return {};
}

std::string_view what_is_done(const TaintChanges& changes) {
  if (changes.add.empty()) return "untainted";
  return changes.remove.empty() && changes.overwrite == Overwrite::no ? "tainted" : "modified";
}

std::string list_of(const std::set<std::string>& names) {
  return names.empty() ? "none" : common::enumerate({names.begin(), names.end()});
}

}  // namespace

runtime::Result<std::string> SliceSearch::look_through(std::string_view page) {
  const auto list = runtime::parse_json(page);
  if (!list) return runtime::fail(list.error());
  for (const json::value& item : array_at(*list, "/items")) {
    const std::string driver = text_at(item, "/spec/driver");
    drivers_.insert(driver);
    if (driver != device_.driver.str()) continue;
    const std::string pool = text_at(item, "/spec/pool/name");
    pools_.insert(pool);
    if (pool != device_.pool.str()) continue;
    const std::int64_t generation = runtime::integer_at(item, "/spec/pool/generation");
    if (generation < generation_.value_or(generation)) continue;
    if (generation > generation_.value_or(generation)) {
      devices_.clear();
      found_.clear();
    }
    generation_ = generation;
    for (const json::value& device : array_at(item, "/spec/devices")) {
      const std::string name = text_at(device, "/name");
      devices_.insert(name);
      if (name == device_.device.str()) found_ = json::serialize(item);
    }
  }
  return text_at(*list, "/metadata/continue");
}

runtime::Result<std::string> SliceSearch::take_found() {
  if (!found_.empty()) return std::move(found_);
  const auto fail = [](std::string message) {
    return runtime::fail(Reason::object_not_found, std::move(message));
  };
  if (!drivers_.contains(device_.driver.str())) {
    return fail(fmt::format("no slice of driver {}; there are: {}", device_.driver.str(),
                            list_of(drivers_)));
  }
  if (!generation_) {
    return fail(fmt::format("driver {} has no pool {}; it has: {}", device_.driver.str(),
                            device_.pool.str(), list_of(pools_)));
  }
  return fail(fmt::format("pool {} of driver {} has no device {}; it has: {}", device_.pool.str(),
                          device_.driver.str(), device_.device.str(), list_of(devices_)));
}

runtime::Result<TaintEdit> edit_taints(std::string_view slice, std::string_view device,
                                       const TaintChanges& changes) {
  const auto whole = runtime::parse_json(slice);
  if (!whole) return runtime::fail(whole.error());
  json::array devices = array_at(*whole, "/spec/devices");
  for (json::value& item : devices) {
    if (text_at(item, "/name") != device) continue;
    json::array taints = array_at(item, "/taints");
    if (const auto changed = change(taints, changes); !changed) {
      return runtime::fail(changed.error());
    }
    item.get_object()["taints"] = std::move(taints);
  }
  const json::object patch{{"metadata",
                            {{"uid", text_at(*whole, "/metadata/uid")},
                             {"resourceVersion", text_at(*whole, "/metadata/resourceVersion")}}},
                           {"spec", {{"devices", std::move(devices)}}}};
  return TaintEdit{what_is_done(changes), text_at(*whole, "/metadata/name"),
                   json::serialize(patch)};
}

}  // namespace dcm::playground
