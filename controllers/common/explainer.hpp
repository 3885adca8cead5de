// What a controller says about the objects that concern it: its part of their explanations.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/api/decoder.hpp"
#include "client/api/resource.hpp"
#include "controllers/api/pod.hpp"
#include "controllers/api/resource_claim.hpp"
#include "controllers/common/explanation.hpp"

namespace dcm::common {

struct Explainer {
  std::string_view controller = {};  // of a controller that is not run here; then the rest is null
  std::function<std::vector<Topic>(const api::ObjectPtr<api::Pod>&)> pod = {};
  std::function<std::vector<Topic>(const api::ObjectPtr<api::ResourceClaim>&)> claim = {};
  // An object of a kind that only this controller watches; nullopt: it knows no such object.
  std::function<std::optional<Draft>(const api::ResourceKind&, const api::NamespacedName&)> other =
      {};
};

inline Draft draft_about(const api::ResourceKind& kind, const api::ObjectMeta& meta,
                         std::string description, std::vector<Topic> topics = {}) {
  return {.about = {.kind = std::string(kind.kind),
                    .namespace_ = meta.key.namespace_.str(),
                    .name = meta.key.name.str(),
                    .uid = meta.uid.str(),
                    .description = std::move(description)},
          .topics = std::move(topics)};
}

}  // namespace dcm::common
