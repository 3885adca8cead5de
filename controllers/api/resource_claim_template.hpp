// resource.k8s.io ResourceClaimTemplate, projected to what creating claims from it requires.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "client/api/format.hpp"
#include "client/api/meta.hpp"

namespace dcm::api {

struct ResourceClaimTemplate {
  ObjectMeta meta;
  bool uses_admin_access = false;
  bool uses_prioritized_list = false;

  // The content of claims, in the three fields below. A user may create any number of templates of
  // 1.5 MB, so a cache keeps small ones only (make_template_decoder()).
  enum class Content : std::uint8_t { kept, left_out } content = Content::kept;
  std::size_t content_bytes = 0;
  // spec.metadata, copied onto each claim.
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;
  // spec.spec as received (JSON without HTML escapes), so that fields of a newer API are passed on.
  // Empty if the template has none: the API server then reports what is missing.
  Encoded claim_spec{"{}"};
  // This template's share of the budget for all templates.
  std::shared_ptr<const void> share;
};

std::size_t footprint(const ResourceClaimTemplate& claim_template);

}  // namespace dcm::api
