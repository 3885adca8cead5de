#include "apiserver/rules/pod_requests.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/quantities.hpp"
#include "apiserver/rules/resource_names.hpp"

namespace dcm::apiserver {

namespace {

using cel::Quantity;

// Whether the amount consists of whole pages.
bool is_divisible(std::string_view resource, const Quantity& amount) {
  const auto size = Quantity::parse(resource.substr(kHugePages.size()));
  const auto bytes = size ? size->as_integer() : std::nullopt;
  const auto wanted = amount.rounded_up();
  return bytes && *bytes > 0 && wanted && *wanted % *bytes == 0;
}

void check_amount(std::string_view resource, const Quantity& amount, const std::string& path,
                  Causes& causes) {
  const auto refuse = [&](std::string_view why) {
    causes.push_back(invalid_value(path, Json(amount.text()), why));
  };
  if (amount.sign() < 0) refuse("must be greater than or equal to 0");
  if (is_counted_resource(resource) && !amount.as_integer()) {
    refuse("must be an integer");
  }
  if (is_huge_page_resource(resource) && !is_divisible(resource, amount)) {
    refuse(fmt::format("{} is not positive integer multiple of {}", amount.text(), resource));
  }
}

void check_request(std::string_view resource, const Quantity& request,
                   const std::optional<Quantity>& limit, const std::string& path, Causes& causes) {
  const bool may_differ = may_be_overcommitted(resource);
  if (!limit) {
    if (may_differ) return;
    causes.push_back(
        required_value(path + ".limits", "Limit must be set for non overcommitable resources"));
  } else if (may_differ ? request > *limit : request != *limit) {
    causes.push_back(invalid_value(
        path + ".requests", Json(request.text()),
        fmt::format("must be {} {} limit of {}", may_differ ? "less than or equal to" : "equal to",
                    resource, limit->text())));
  }
}

void check_resources(const JsonObject& resources, auto check_name, const std::string& path,
                     Causes& causes) {
  bool any_pages = false;
  bool any_compute = false;
  for (const std::string_view list : {"limits", "requests"}) {
    for (const auto& member : object_at(resources, {list})) {
      const std::string_view resource = member.key();
      const std::string at = fmt::format("{}.{}[{}]", path, list, resource);
      check_name(resource, at, causes);
      any_pages |= is_huge_page_resource(resource);
      any_compute |= resource == "cpu" || resource == "memory";
      const auto amount = quantity_of(member.value());
      if (!amount) continue;
      check_amount(resource, *amount, at, causes);
      if (list == "limits") continue;
      check_request(resource, *amount, quantity_at(resources, {"limits", resource}), path, causes);
    }
  }
  if (any_pages && !any_compute) {
    causes.push_back(forbidden_value(path, "HugePages require cpu or memory"));
  }
}

// What the containers of a pod have of a resource, in their requests or limits.
struct Share {
  std::optional<Quantity> together = {};  // of those that run at the same time
  std::optional<Quantity> sidecars = {};
  std::optional<Quantity> most = {};  // while the init containers run
  std::size_t containers = 0;         // that name the resource

  // nullopt if it is more than a Quantity represents.
  std::optional<Quantity> sum() const {
    const auto all = plus(together, sidecars);
    return !most || (all && *all > *most) ? all : most;
  }

  static std::optional<Quantity> plus(const std::optional<Quantity>& a,
                                      const std::optional<Quantity>& b) {
    if (!a || !b) return a ? a : b;
    return a->add(*b);
  }
};

using Shares = std::map<std::string, Share, std::less<>>;

// `list`: "requests", "limits". Init containers run one after the other, beside sidecars that have
// started.
Shares shares_of(const JsonObject& spec, std::string_view list) {
  Shares shares;
  const auto for_each_amount = [&](const Json& container, auto use) {
    for (const auto& member : object_at(as_object(container), {"resources", list})) {
      const auto amount = quantity_of(member.value());
      Share& share = shares[std::string(member.key())];
      ++share.containers;
      if (amount) use(share, *amount);
    }
  };
  for (const Json& container : array_at(spec, {"containers"})) {
    for_each_amount(container, [](Share& share, const Quantity& amount) {
      share.together = Share::plus(share.together, amount);
    });
  }
  for (const Json& container : array_at(spec, {"initContainers"})) {
    const bool is_sidecar = text_at(as_object(container), {"restartPolicy"}) == "Always";
    for_each_amount(container, [&](Share& share, const Quantity& amount) {
      const auto needed = Share::plus(share.sidecars, amount);
      if (is_sidecar) share.sidecars = needed;
      if (needed && (!share.most || *needed > *share.most)) share.most = needed;
    });
  }
  return shares;
}

std::optional<Quantity> sum_of(const Shares& shares, std::string_view resource) {
  const auto found = shares.find(resource);
  return found == shares.end() ? std::nullopt : found->second.sum();
}

// `list`: "requests", or "limits" of resources that are never overcommitted.
void check_sums(const JsonObject& spec, std::string_view list, const std::string& path,
                Causes& causes) {
  const Shares shares = shares_of(spec, list);
  for (const auto& member : object_at(spec, {"resources", list})) {
    const std::string_view resource = member.key();
    if (list == "limits" && !is_huge_page_resource(resource)) continue;
    const auto whole = quantity_of(member.value());
    const auto containers = sum_of(shares, resource);
    if (!whole || !containers || *containers <= *whole) continue;
    causes.push_back(
        invalid_value(fmt::format("{}.{}[{}]", path, list, resource), Json(whole->text()),
                      fmt::format("must be greater than or equal to aggregate container {} of {}",
                                  list, containers->text())));
  }
}

void check_limits_of_containers(const JsonObject& spec, const std::string& path, Causes& causes) {
  const JsonArray& containers = array_at(spec, {"containers"});
  for (const auto& [container, at] : with_paths(containers, path + ".containers")) {
    for (const auto& member : object_at(container, {"resources", "limits"})) {
      const auto limit = quantity_of(member.value());
      const auto whole = quantity_at(spec, {"resources", "limits", member.key()});
      if (!limit || !whole || *limit <= *whole) continue;
      causes.push_back(invalid_value(
          fmt::format("{}[{}].limits", at, std::string_view(member.key())), Json(limit->text()),
          fmt::format("must be less than or equal to pod limits of {}", whole->text())));
    }
  }
}

}  // namespace

void validate_container_resources(const JsonObject& resources, const std::string& path,
                                  Causes& causes) {
  check_resources(resources, validate_container_resource, path, causes);
}

void validate_pod_level_resources(const JsonObject& pod_spec, const std::string& path,
                                  Causes& causes) {
  const JsonObject& resources = object_at(pod_spec, {"resources"});
  check_resources(resources, validate_pod_resource, path, causes);
  check_sums(pod_spec, "requests", path, causes);
  check_sums(pod_spec, "limits", path, causes);
  check_limits_of_containers(pod_spec, path, causes);
}

void default_pod_level_resources(JsonObject& pod_spec) {
  JsonObject requests = object_at(pod_spec, {"resources", "requests"});
  JsonObject limits = object_at(pod_spec, {"resources", "limits"});
  if (requests.empty() && limits.empty()) return;
  const std::size_t containers =
      array_at(pod_spec, {"containers"}).size() + array_at(pod_spec, {"initContainers"}).size();
  const Shares limited = shares_of(pod_spec, "limits");
  for (const auto& [resource, share] : limited) {
    const auto limit = share.sum();
    const bool is_missing = is_huge_page_resource(resource) && !requests.contains(resource);
    if (limit && is_missing) set_default(limits, resource, Json(limit->text()));
  }
  const Shares requested = shares_of(pod_spec, "requests");
  for (const std::string_view resource : {"cpu", "memory"}) {
    const auto amount = sum_of(requested, resource);
    if (amount) set_default(requests, resource, Json(amount->text()));
  }
  for (const auto& [resource, limit] : limits) {
    if (is_pod_resource(resource)) set_default(requests, resource, limit);
  }
  for (const auto& [resource, share] : limited) {
    const auto limit = share.sum();
    const auto request = quantity_at(requests, {resource});
    const bool is_complete = share.containers == containers;
    if (!limit || !request || !is_pod_resource(resource) || !is_complete) continue;
    set_default(limits, resource, Json(std::max(*request, *limit).text()));
  }
  if (!requests.empty()) child(pod_spec, "resources")["requests"] = std::move(requests);
  if (!limits.empty()) child(pod_spec, "resources")["limits"] = std::move(limits);
}

}  // namespace dcm::apiserver
