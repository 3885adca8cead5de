
#include "node/driver_kit/checks/names.hpp"
#include "node/driver_kit/checks/parts.hpp"

namespace dcm::driver_kit {
namespace {

void check_expression(const Field& requirement) {
  const std::string_view wanted = requirement.at("operator").text();
  const Field list = requirement.at("values");
  const auto values = list.items();
  if (wanted == "In" || wanted == "NotIn") {
    if (values.empty()) list.refuse("must not be empty for the operators In and NotIn");
  } else if (wanted == "Exists" || wanted == "DoesNotExist") {
    if (!values.empty()) list.refuse("must be empty for the operators Exists and DoesNotExist");
  } else if (wanted == "Gt" || wanted == "Lt") {
    if (values.size() != 1) list.refuse("must be one value for the operators Gt and Lt");
  } else {
    requirement.at("operator").refuse("must be In, NotIn, Exists, DoesNotExist, Gt or Lt");
  }
  requirement.at("key").refuse_if(problem_with_label_key(requirement.at("key").text()));
  for (const Field& value : values) value.refuse_if(problem_with_label_value(value.text()));
}

void check_field_requirement(const Field& requirement) {
  const std::string_view wanted = requirement.at("operator").text();
  if (wanted != "In" && wanted != "NotIn") {
    requirement.at("operator").refuse("must be In or NotIn");
  }
  if (requirement.at("key").text() != "metadata.name") {
    requirement.at("key").refuse("must be metadata.name");
  }
  const auto values = requirement.at("values").items();
  if (values.size() != 1) requirement.at("values").refuse("must be one value");
  for (const Field& value : values) value.refuse_if(problem_with_subdomain(value.text()));
}

std::size_t check_node_selector(const Field& selector) {
  const auto terms = selector.at("nodeSelectorTerms").items();
  if (terms.empty()) selector.at("nodeSelectorTerms").refuse("must have a term");
  for (const Field& term : terms) {
    for (const Field& each : term.at("matchExpressions").items()) check_expression(each);
    for (const Field& each : term.at("matchFields").items()) check_field_requirement(each);
  }
  return terms.size();
}

// Counts a field that is set in `set`.
void check_node_name(const Field& name, std::size_t& set) {
  if (!name.is_set()) return;
  ++set;
  name.refuse_if(problem_with_subdomain(name.text()));
}

void check_true(const Field& flag, std::size_t& set) {
  if (!flag.is_set()) return;
  ++set;
  if (!flag.flag()) flag.refuse("must be true, or left out");
}

}  // namespace

void check_place_of_slice(const Field& spec) {
  std::size_t set = 0;
  check_node_name(spec.at("nodeName"), set);
  if (const Field selector = spec.at("nodeSelector"); selector.is_set()) {
    ++set;
    if (check_node_selector(selector) > 1) {
      selector.at("nodeSelectorTerms").refuse("must have exactly one term");
    }
  }
  check_true(spec.at("allNodes"), set);
  check_true(spec.at("perDeviceNodeSelection"), set);
  if (set != 1) {
    spec.refuse(
        "exactly one of nodeName (a publisher of one node sets it), nodeSelector, allNodes and "
        "perDeviceNodeSelection must be set");
  }
}

void check_place_of_device(const Field& device, bool is_chosen_by_device) {
  std::size_t set = 0;
  check_node_name(device.at("nodeName"), set);
  if (const Field selector = device.at("nodeSelector"); selector.is_set()) {
    ++set;
    check_node_selector(selector);
  }
  check_true(device.at("allNodes"), set);
  if (is_chosen_by_device && set != 1) {
    device.refuse(
        "exactly one of nodeName, nodeSelector and allNodes must be set, because the pool has "
        "perDeviceNodeSelection");
  }
  if (!is_chosen_by_device && set != 0) {
    device.refuse(
        "nodeName, nodeSelector and allNodes must be left out, because the pool does not have "
        "perDeviceNodeSelection");
  }
}

}  // namespace dcm::driver_kit
