// Reads from objects of the API, as JSON, what they say about why another one waits.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "explain/evidence.hpp"

namespace dcm::explain {

// An entry of status.conditions.
std::optional<Condition> read_condition(const boost::json::value& object, std::string_view type);
PodReport pod_report(const boost::json::value& pod);
// The binding conditions of a claim's devices that are not true yet.
std::vector<MissingCondition> missing_conditions(const boost::json::value& claim);
AllocationReport allocation_report(const boost::json::value& claim, const std::string& pod_uid);
// The latest event of each reason; an empty UID stands for all objects.
std::vector<EventReport> event_reports(const boost::json::value& events, const std::string& uid);
// The quotas of claims and devices.
std::vector<QuotaReport> quota_reports(const boost::json::value& quotas);

}  // namespace dcm::explain
