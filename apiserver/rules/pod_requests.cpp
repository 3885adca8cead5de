#include "apiserver/rules/pod_requests.hpp"

#include <algorithm>

#include "apiserver/rules/strategy.hpp"
#include "cel/kubernetes/quantity.hpp"

namespace dcm::apiserver {

namespace {

using cel::Quantity;

std::optional<Quantity> request_of(const Json& container, std::string_view resource) {
  const std::string_view text = text_at(as_object(container), {"resources", "requests", resource});
  const auto quantity = Quantity::parse(text);
  return quantity ? std::optional(*quantity) : std::nullopt;
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

}  // namespace

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
