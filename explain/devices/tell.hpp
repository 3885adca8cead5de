// The parts of an explanation of devices, each for one outcome of a survey.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "controllers/common/explanation.hpp"
#include "explain/devices/survey.hpp"

namespace dcm::explain {

// An error that ends each of kube-scheduler's attempts.
void tell_error(const DeviceSurvey& survey, common::Topic& topic);
// Some node fits.
void tell_free(const DeviceSurvey& survey, common::Topic& topic);
// No node fits: why, and what would have to change.
void tell_obstacles(DeviceSurvey& survey, common::Topic& topic);
// What would make the closest node fit. It has a remedy.
void tell_remedy(const DeviceSurvey& survey, common::Topic& topic);
// Extended resources without a class.
void tell_unserved(const DeviceSurvey& survey, common::Topic& topic);
// What each request finds on the nodes.
void tell_nodes(const DeviceSurvey& survey, common::Topic& topic);
// The nodes that were not surveyed.
void tell_left_out(const DeviceSurvey& survey, common::Topic& topic);

// ---- words --------------------------------------------------------------------------------------

using common::count;
// "node-1, node-2 and 38 more"
std::string name_nodes(const std::vector<const allocation::Node*>& nodes);
// `6 held by another claim: claim lab/x of pod lab/y; 2 not matching …`, most devices first.
std::string describe_obstacles(const std::map<std::string, Tally>& obstacles);
// How many devices of a list are named.
inline constexpr std::size_t kFactsMax = 4;
// How many alternatives of a request (firstAvailable) are described.
inline constexpr std::size_t kAlternativesNamedMax = 3;

}  // namespace dcm::explain
