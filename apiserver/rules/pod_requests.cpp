#include "apiserver/rules/pod_requests.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "apiserver/rules/quantities.hpp"
#include "apiserver/rules/strategy.hpp"

namespace dcm::apiserver {

namespace {

using cel::Quantity;

std::optional<Quantity> request_of(const Json& container, std::string_view resource) {
  return quantity_at(as_object(container), {"resources", "requests", resource});
}

std::optional<Quantity> sum(const std::optional<Quantity>& a, const std::optional<Quantity>& b) {
  if (!a || !b) return a ? a : b;
  return a->add(*b);
}

// Init containers run one after the other, beside sidecars that have started.
std::optional<Quantity> requested(const JsonObject& spec, std::string_view resource) {
  std::optional<Quantity> together, sidecars, most;
  for (const Json& container : array_at(spec, {"containers"})) {
    together = sum(together, request_of(container, resource));
  }
  for (const Json& container : array_at(spec, {"initContainers"})) {
    auto needed = sum(sidecars, request_of(container, resource));
    if (text_at(as_object(container), {"restartPolicy"}) == "Always") sidecars = needed;
    if (needed && (!most || *needed > *most)) most = needed;
  }
  together = sum(together, sidecars);
  if (!most || (together && *together > *most)) return together;
  return most;
}

bool is_supported(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource.starts_with("hugepages-");
}

// Resources of Kubernetes itself; others are extended resources.
bool is_native(std::string_view resource) {
  return !resource.contains('/') || resource.contains("kubernetes.io/");
}

bool may_be_overcommitted(std::string_view resource) {
  return is_native(resource) && !resource.starts_with("hugepages-");
}

void check_amount(std::string_view resource, const Quantity& amount, const std::string& path,
                  Causes& causes) {
  if (amount.sign() < 0) {
    causes.push_back(
        invalid_value(path, Json(amount.text()), "must be greater than or equal to 0"));
  }
  if (!is_native(resource) && !amount.as_integer()) {
    causes.push_back(invalid_value(path, Json(amount.text()), "must be an integer"));
  }
}

}  // namespace

void validate_requests_and_limits(const JsonObject& resources, const std::string& path,
                                  Causes& causes) {
  const auto check_amounts = [&](std::string_view list) {
    for (const auto& member : object_at(resources, {list})) {
      const std::string_view resource = member.key();
      const auto amount = quantity_at(resources, {list, resource});
      const std::string at = fmt::format("{}.{}[{}]", path, list, resource);
      if (amount) check_amount(resource, *amount, at, causes);
    }
  };
  check_amounts("limits");
  check_amounts("requests");
  for (const auto& member : object_at(resources, {"requests"})) {
    const std::string_view resource = member.key();
    const auto request = quantity_at(resources, {"requests", resource});
    const auto limit = quantity_at(resources, {"limits", resource});
    const bool may_differ = may_be_overcommitted(resource);
    if (!request) continue;
    if (!limit) {
      if (may_differ) continue;
      causes.push_back(
          required_value(path + ".limits", "Limit must be set for non overcommitable resources"));
    } else if (may_differ ? *request > *limit : *request != *limit) {
      causes.push_back(invalid_value(
          path + ".requests", Json(request->text()),
          fmt::format("must be {} {} limit of {}",
                      may_differ ? "less than or equal to" : "equal to", resource, limit->text())));
    }
  }
}

void default_requests_as_a_whole(JsonObject& pod_spec) {
  const JsonObject limits = object_at(pod_spec, {"resources", "limits"});
  if (limits.empty()) return;
  JsonObject requests = object_at(pod_spec, {"resources", "requests"});
  for (const std::string_view resource : {"cpu", "memory"}) {
    const auto amount = requested(pod_spec, resource);
    if (amount) set_default(requests, resource, Json(amount->text()));
  }
  for (const auto& [resource, limit] : limits) {
    if (is_supported(resource)) set_default(requests, resource, limit);
  }
  if (!requests.empty()) child(pod_spec, "resources")["requests"] = std::move(requests);
}

}  // namespace dcm::apiserver
