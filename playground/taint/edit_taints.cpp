#include "playground/taint/edit_taints.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dcm::playground {
namespace {

namespace json = boost::json;
using runtime::Reason;

runtime::Result<json::object> parse(std::string_view text) {
  json::error_code problem;
  json::value value = json::parse(text, problem);
  if (problem || !value.is_object()) return runtime::fail(Reason::malformed, "no JSON object");
  return std::move(value.get_object());
}

// Returns an empty object if there is none.
const json::object& object_in(const json::object& object, std::string_view key) {
  static const json::object kNone;
  const json::value* const member = object.if_contains(key);
  return member != nullptr && member->is_object() ? member->get_object() : kNone;
}

const json::array& array_in(const json::object& object, std::string_view key) {
  static const json::array kNone;
  const json::value* const member = object.if_contains(key);
  return member != nullptr && member->is_array() ? member->get_array() : kNone;
}

std::string text_in(const json::object& object, std::string_view key) {
  const json::value* const member = object.if_contains(key);
  return member != nullptr && member->is_string() ? std::string(member->get_string())
                                                  : std::string();
}

bool is_same(const json::object& taint, const Taint& other) {
  return text_in(taint, "key") == other.key &&
         (other.effect.empty() || text_in(taint, "effect") == other.effect);
}

// Removes the taints selected by `which`; returns whether there were any.
bool take_out(json::array& taints, const Taint& which) {
  json::array rest;
  for (const json::value& taint : taints) {
    if (!taint.is_object() || !is_same(taint.get_object(), which)) rest.push_back(taint);
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
  constexpr std::size_t kNamedMax = 8;
  if (names.empty()) return "none";
  if (names.size() <= kNamedMax) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{}, …", fmt::join(names.begin(), std::next(names.begin(), kNamedMax), ", "));
}

}  // namespace

runtime::Result<std::string> SliceSearch::look_through(std::string_view page) {
  const auto list = parse(page);
  if (!list) return runtime::fail(list.error());
  for (const json::value& item : array_in(*list, "items")) {
    if (!item.is_object()) continue;
    const json::object& spec = object_in(item.get_object(), "spec");
    const json::object& pool = object_in(spec, "pool");
    drivers_.insert(text_in(spec, "driver"));
    if (text_in(spec, "driver") != device_.driver.str()) continue;
    pools_.insert(text_in(pool, "name"));
    if (text_in(pool, "name") != device_.pool.str()) continue;
    const json::value* const number = pool.if_contains("generation");
    const std::int64_t generation =
        number != nullptr && number->is_int64() ? number->get_int64() : 0;
    if (generation < generation_.value_or(generation)) continue;
    if (generation > generation_.value_or(generation)) {
      devices_.clear();
      found_.clear();
    }
    generation_ = generation;
    for (const json::value& device : array_in(spec, "devices")) {
      if (!device.is_object()) continue;
      const std::string name = text_in(device.get_object(), "name");
      devices_.insert(name);
      if (name == device_.device.str()) found_ = json::serialize(item);
    }
  }
  return text_in(object_in(*list, "metadata"), "continue");
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
  const auto object = parse(slice);
  if (!object) return runtime::fail(object.error());
  json::array devices = array_in(object_in(*object, "spec"), "devices");
  for (json::value& item : devices) {
    if (!item.is_object() || text_in(item.get_object(), "name") != device) continue;
    json::array taints = array_in(item.get_object(), "taints");
    if (const auto changed = change(taints, changes); !changed) {
      return runtime::fail(changed.error());
    }
    item.get_object()["taints"] = std::move(taints);
  }
  const json::object& metadata = object_in(*object, "metadata");
  const json::object patch{{"metadata",
                            {{"uid", text_in(metadata, "uid")},
                             {"resourceVersion", text_in(metadata, "resourceVersion")}}},
                           {"spec", {{"devices", std::move(devices)}}}};
  return TaintEdit{what_is_done(changes), text_in(metadata, "name"), json::serialize(patch)};
}

}  // namespace dcm::playground
