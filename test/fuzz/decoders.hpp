// Every decoder of an informer, so that a target reads the same bytes as every kind.
#pragma once

#include "controllers/api/decoders.hpp"

namespace dcm::fuzz {

// Calls `visit` with each decoder; they are of different types.
template <class Visit>
void for_each_decoder(const Visit& visit) {
  static const auto pods = api::make_json_pod_decoder();
  static const auto all_pods = api::make_json_pod_decoder(api::PodSelection::all);
  static const auto claims = api::make_json_claim_decoder("v1");
  static const auto old_claims = api::make_json_claim_decoder("v1beta1");
  static const auto templates = api::make_json_template_decoder("v1");
  static const auto old_templates = api::make_json_template_decoder("v1beta1");
  static const auto slices = api::make_json_slice_decoder("v1");
  static const auto old_slices = api::make_json_slice_decoder("v1beta1");
  static const auto rules = api::make_json_rule_decoder();
  static const auto groups = api::make_json_group_decoder();
  visit(*pods);
  visit(*all_pods);
  visit(*claims);
  visit(*old_claims);
  visit(*templates);
  visit(*old_templates);
  visit(*slices);
  visit(*old_slices);
  visit(*rules);
  visit(*groups);
}

}  // namespace dcm::fuzz
