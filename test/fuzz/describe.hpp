// Objects as text, with every field of their type: equal texts mean equal objects.
#pragma once

#include <string>

#include <fmt/format.h>

#include "client/api/decoder.hpp"
#include "controllers/api/device_taint_rule.hpp"
#include "controllers/api/pod.hpp"
#include "controllers/api/resource_claim.hpp"
#include "controllers/api/resource_claim_template.hpp"
#include "controllers/api/resource_slice.hpp"

namespace dcm::fuzz {

std::string describe(const api::ObjectMeta& meta);
std::string describe(const api::Pod& pod);
std::string describe(const api::PodGroup& group);
std::string describe(const api::ResourceClaim& claim);
std::string describe(const api::ResourceClaimTemplate& claim_template);
std::string describe(const api::ResourceSlice& slice);
std::string describe(const api::DeviceTaintRule& rule);
std::string describe(const runtime::Error& error);

template <class T>
std::string describe(const api::Decoded<T>& decoded) {
  return describe(decoded.meta) + " " +
         (decoded.object ? describe(*decoded.object) : "(only that)");
}

template <class T>
std::string describe(const runtime::Result<api::Decoded<T>>& result) {
  return result ? describe(*result) : describe(result.error());
}

inline std::string describe(const api::BookmarkEvent& event) {
  return fmt::format("bookmark {} {}", event.resource_version.str(), event.is_initial_events_end);
}

inline std::string describe(const api::ErrorEvent& event) {
  return "event of an error: " + describe(event.error);
}

template <class T>
std::string describe(const api::ChangeEvent<T>& event) {
  return fmt::format("{} {}", static_cast<int>(event.type), describe(event.subject));
}

template <class T>
std::string describe_event(const api::WatchEvent<T>& event) {
  return std::visit([](const auto& alternative) { return describe(alternative); }, event);
}

}  // namespace dcm::fuzz
