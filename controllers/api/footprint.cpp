// Memory of an object of each kind in bytes, for the metric of cached bytes: computed from sizes
// and capacities, without malloc's rounding and interned strings.
#include <string>
#include <vector>

#include "client/api/object_ptr.hpp"
#include "controllers/api/device_taint_rule.hpp"
#include "controllers/api/pod.hpp"
#include "controllers/api/resource_claim.hpp"
#include "controllers/api/resource_claim_template.hpp"
#include "controllers/api/resource_pool_status.hpp"
#include "controllers/api/resource_slice.hpp"

namespace dcm::api {
namespace {

template <class T>
std::size_t size_of(const T& /*object*/) {
  return ObjectPtr<T>::size_of_object();
}

std::size_t heap(const std::string& text) {
  static const std::size_t inline_capacity = std::string().capacity();
  return text.capacity() > inline_capacity ? text.capacity() + 1 : 0;
}

template <class Element>
std::size_t heap(const std::vector<Element>& elements) {
  return elements.capacity() * sizeof(Element);
}

template <class Element>
std::size_t heap(const UsuallyOne<Element>& elements) {
  return elements.heap_bytes();
}

template <class Elements>
std::size_t owned(const std::unique_ptr<Elements>& elements) {
  return elements ? sizeof(*elements) + heap(*elements) : 0;
}

std::size_t heap(const std::map<std::string, std::string>& entries) {
  constexpr std::size_t kNodeLinks = 32;
  std::size_t sum = 0;
  for (const auto& [key, value] : entries) {
    sum += kNodeLinks + sizeof(std::string) * 2 + heap(key) + heap(value);
  }
  return sum;
}

std::size_t heap_of_user(const api::ClaimUser& user) {
  return heap(user.claims) + heap(user.claim_statuses);
}

}  // namespace

std::size_t footprint(const api::Pod& pod) {
  return size_of(pod) + heap_of_user(pod);
}

std::size_t footprint(const api::PodGroup& group) {
  return size_of(group) + heap_of_user(group);
}

std::size_t footprint(const api::ResourceClaim& claim) {
  std::size_t sum = size_of(claim) + heap(claim.reserved_for) + heap(claim.devices);
  for (const auto& device : claim.devices) sum += owned(device.tolerations);
  return sum;
}

std::size_t footprint(const api::ResourceSlice& slice) {
  std::size_t sum = size_of(slice) + heap(slice.devices);
  sum += heap(slice.no_schedule);
  for (const auto& device : slice.devices) sum += owned(device.taints);
  return sum;
}

std::size_t footprint(const api::ResourcePoolStatusRequest& request) {
  return size_of(request);
}

std::size_t footprint(const api::DeviceTaintRule& rule) {
  std::size_t sum = size_of(rule);
  sum += heap(rule.unknown_selector_field);
  if (rule.condition) sum += heap(rule.condition->reason) + heap(rule.condition->message);
  return sum;
}

std::size_t footprint(const api::ResourceClaimTemplate& claim_template) {
  return size_of(claim_template) + heap(claim_template.labels) + heap(claim_template.annotations) +
         heap(claim_template.claim_spec.bytes);
}

}  // namespace dcm::api
