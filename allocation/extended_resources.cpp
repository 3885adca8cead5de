#include "allocation/extended_resources.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace dcm::allocation {
namespace {

// The requests for one resource, as they accumulate.
class OneResource {
 public:
  OneResource(std::string resource, std::string device_class)
      : resource_(std::move(resource)), class_(std::move(device_class)) {}

  void add(const NumberedContainer& numbered) {
    auto& mappings = numbered.is_short_lived ? short_lived_mappings_ : long_lived_mappings_;
    const auto& requests = numbered.container->requests;
    const auto wish = std::ranges::find(requests, resource_, &ResourceRequest::name);
    if (wish == requests.end() || wish->amount == 0) return;
    std::int64_t rest = wish->amount;
    if (numbered.is_short_lived) rest -= reuse(numbered, rest, mappings);
    if (rest <= 0) return;
    const std::string name =
        fmt::format("container-{}-request-{}", numbered.index, wish - requests.begin());
    mappings.push_back({numbered.container->name, resource_, name});
    if (!numbered.is_short_lived) {
      long_lived_.push_back({numbered.index, name, rest});
      return;
    }
    short_lived_names_.insert(name);
    if (!largest_ || largest_->count < rest) largest_ = {numbered.index, name, rest};
  }

  void append_to(ExtendedClaim& claim) {
    // Init containers run one after the other, so the largest of their requests serves all of them.
    for (RequestMapping& mapping : short_lived_mappings_) {
      if (short_lived_names_.contains(mapping.request)) mapping.request = largest_->name;
    }
    if (largest_) append(*largest_, claim);
    for (const Part& part : long_lived_) append(part, claim);
    std::ranges::move(long_lived_mappings_, std::back_inserter(claim.mappings));
    std::ranges::move(short_lived_mappings_, std::back_inserter(claim.mappings));
  }

 private:
  struct Part {
    std::size_t index;
    std::string name;
    std::int64_t count;
  };

  // Reuses up to `wanted` devices of long-lived containers that start later. Returns how many.
  std::int64_t reuse(const NumberedContainer& numbered, std::int64_t wanted,
                     std::vector<RequestMapping>& mappings) const {
    std::int64_t sum = 0;
    for (const Part& part : long_lived_) {
      if (part.index < numbered.index) continue;
      if (sum >= wanted) break;
      sum += std::min(part.count, wanted - sum);
      mappings.push_back({numbered.container->name, resource_, part.name});
    }
    return sum;
  }

  void append(const Part& part, ExtendedClaim& claim) const {
    claim.spec.requests.push_back({.name = part.name,
                                   .asks = {{.name = part.name,
                                             .device_class = class_,
                                             .mode = "ExactCount",
                                             .count = part.count}}});
  }

  std::string resource_;
  std::string class_;
  std::vector<Part> long_lived_;
  std::optional<Part> largest_;  // of the init containers that end
  std::set<std::string> short_lived_names_;
  std::vector<RequestMapping> long_lived_mappings_;
  std::vector<RequestMapping> short_lived_mappings_;
};

}  // namespace

std::optional<std::string_view> implicit_class(std::string_view resource) {
  if (!resource.starts_with(kImplicitResourcePrefix)) return std::nullopt;
  return resource.substr(kImplicitResourcePrefix.size());
}

bool is_extended_resource(std::string_view name) {
  if (implicit_class(name)) return true;
  return name.contains('/') && !name.contains("kubernetes.io/") && !name.starts_with("requests.");
}

std::int64_t whole_amount(const Quantity& amount) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (amount > Quantity(kMax)) return kMax;
  return std::max<std::int64_t>(amount.as_integer().value_or(0), 0);
}

std::set<std::string> extended_resources_of(const NumberedContainers& containers) {
  std::set<std::string> names;
  for (const NumberedContainer& each : containers) {
    for (const ResourceRequest& request : each.container->requests) {
      if (request.name.contains('/') && request.amount > 0) names.insert(request.name);
    }
  }
  return names;
}

ExtendedClaim make_extended_claim(const NumberedContainers& containers,
                                  const std::map<std::string, std::string>& classes) {
  ExtendedClaim claim;
  for (const auto& [resource, device_class] : classes) {
    OneResource requests(resource, device_class);
    for (const bool is_short_lived : {false, true}) {
      for (const NumberedContainer& each : containers) {
        if (each.is_short_lived == is_short_lived) requests.add(each);
      }
    }
    requests.append_to(claim);
  }
  std::ranges::sort(claim.spec.requests, {}, &Request::name);
  return claim;
}

bool serves_before(const DeviceClass& a, const DeviceClass& b) {
  if (a.created != b.created) return a.created > b.created;
  return a.meta.key.name < b.meta.key.name;
}

}  // namespace dcm::allocation
