#include "allocation/prepared.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dcm::allocation {
namespace {

// The disabled feature that is used, in the order in which kube-scheduler checks.
std::optional<RequestFault> feature_fault(const ClaimView& claim, const Request& request,
                                          const Features& features) {
  using enum RequestFault::Kind;
  const std::string key = claim.key.str();
  if (!features.prioritized_list && request.is_prioritized) {
    return {{feature_is_off,
             fmt::format("claim {}, request {}: has subrequests, but the DRAPrioritizedList "
                         "feature is disabled",
                         key, request.name)}};
  }
  if (features.consumable_capacity) return {};
  const auto ask =
      std::ranges::find_if(request.asks, [](const Ask& each) { return each.capacity.has_value(); });
  if (ask == request.asks.end()) return {};
  return {{feature_is_off,
           fmt::format("claim {}, {} {}: has capacity requests, but the DRAConsumableCapacity "
                       "feature is disabled",
                       key, request.is_prioritized ? "subrequest" : "request", ask->name)}};
}

std::optional<RequestFault> ask_fault(const ClaimView& claim, const Ask& ask,
                                      const Features& features, bool has_class) {
  using enum RequestFault::Kind;
  const std::string head = fmt::format("claim {}, request {}", claim.key.str(), ask.name);
  if (!ask.derived_attributes.empty() && !features.derived_attributes) {
    return {{feature_is_off,
             head + ": cannot handle request with derived attributes, the feature is disabled"}};
  }
  const auto unknown = std::ranges::find(ask.selectors, false, &SelectorText::has_value);
  if (unknown != ask.selectors.end()) {
    return {{is_malformed,
             fmt::format("{}, selector #{}: CEL expression empty (unsupported selector type?)",
                         head, unknown - ask.selectors.begin())}};
  }
  if (ask.admin_access && !features.admin_access) {
    return {{feature_is_off, head + ": admin access is requested, but the feature is disabled"}};
  }
  if (ask.device_class.empty()) {
    return {{is_malformed, head + ": missing device class name (unsupported request type?)"}};
  }
  if (!has_class) {
    return {{class_is_missing, fmt::format("{}: could not retrieve device class {}: "
                                           "deviceclass.resource.k8s.io \"{}\" not found",
                                           head, ask.device_class, ask.device_class)}};
  }
  if (ask.mode == "ExactCount" || ask.is_all()) return {};
  return {{is_malformed, fmt::format("{}: unsupported count mode {}", head, ask.mode)}};
}

void append(const std::vector<SelectorText>& texts, bool is_of_class,
            std::vector<PreparedSelector>& out) {
  for (std::size_t i = 0; i < texts.size(); ++i) out.push_back({&texts[i], i, is_of_class});
}

}  // namespace

PreparedClaims::PreparedClaims(std::span<const ClaimView> claims, const FindClass& find_class,
                               const Features& features, cel::SelectorCompiler& compiler)
    : compiler_(&compiler) {
  for (const ClaimView& claim : claims) {
    PreparedClaim& prepared = claims_.emplace_back(PreparedClaim{claim});
    for (const Request& request : claim.spec.requests) {
      PreparedRequest& out = prepared.requests.emplace_back();
      out.request = &request;
      out.fault = feature_fault(claim, request, features);
      for (const Ask& ask : request.asks) {
        out.asks.push_back(prepare(claim, request, ask, find_class, features));
      }
    }
  }
}

PreparedAsk PreparedClaims::prepare(const ClaimView& claim, const Request& request, const Ask& ask,
                                    const FindClass& find_class, const Features& features) {
  PreparedAsk out{.request = &request, .ask = &ask, .index = asks_++, .name = request.name_of(ask)};
  out.device_class = ask.device_class.empty() ? nullptr : find_class(ask.device_class);
  out.fault = ask_fault(claim, ask, features, out.device_class != nullptr);
  if (out.device_class) append(out.device_class->selectors, true, out.selectors);
  append(ask.selectors, false, out.selectors);
  for (const auto& [name, text] : ask.derived_attributes) out.derived.push_back({&name, &text});
  for (std::size_t i = 0; i < claim.spec.constraints.size(); ++i) {
    if (claim.spec.constraints[i].concerns(request, ask)) out.constraints.push_back(i);
  }
  return out;
}

SelectorVerdict PreparedClaims::select(const PreparedClaim& claim, PreparedAsk& ask,
                                       const Slice& slice, const Device& device) const {
  using enum SelectorVerdict::Kind;
  const auto fail = [&](PreparedSelector& selector, std::string_view on_device,
                        std::string_view what) {
    const std::string whose = selector.is_of_class
                                  ? "class " + ask.device_class->meta.key.name.str()
                                  : "claim " + claim.claim.key.str();
    return SelectorVerdict{
        error, &selector,
        fmt::format("{}: selector #{}{}: CEL {}", whose, selector.index, on_device, what)};
  };
  for (PreparedSelector& selector : ask.selectors) {
    if (!selector.compiled) selector.compiled = compiler_->compile(selector.text->value_or(""));
    if (!*selector.compiled)
      return fail(selector, "", "compile error: " + selector.compiled->error());
    const auto matches = (**selector.compiled)->matches(slice.view_of(device));
    if (!matches) {
      return fail(selector, " on device " + slice.id_of(device).str(),
                  "runtime error: " + matches.error());
    }
    if (!*matches) return {no_match, &selector};
  }
  return {};
}

DerivedExpression* PreparedClaims::find_derived(PreparedAsk& ask, const std::string& name) const {
  // Of several with the same name the last one counts.
  const auto found = std::ranges::find_if(ask.derived.rbegin(), ask.derived.rend(),
                                          [&](const auto& each) { return *each.name == name; });
  if (found == ask.derived.rend()) return nullptr;
  if (!found->compiled) found->compiled = compiler_->compile_derived(*found->text);
  return &*found;
}

}  // namespace dcm::allocation
