#include "runtime/error.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace dcm::runtime {
namespace {

struct Row {
  Reason reason;
  std::string_view verdict;  // T transient, U refused untouched, O outcome unknown
};

// Every reason once: what a retry may rely on.
constexpr Row kRows[] = {
    {Reason::bad_request, ""},
    {Reason::unauthorized, ""},
    {Reason::forbidden, ""},
    {Reason::namespace_terminating, ""},
    {Reason::object_not_found, ""},
    {Reason::not_served, ""},
    {Reason::method_not_allowed, ""},
    {Reason::not_acceptable, ""},
    {Reason::already_exists, ""},
    {Reason::conflict, ""},
    {Reason::gone, ""},
    {Reason::request_too_large, ""},
    {Reason::unsupported_media_type, ""},
    {Reason::invalid, ""},
    {Reason::another_object, ""},
    {Reason::too_many_requests, "TU"},
    {Reason::disruption_budget, "TU"},
    {Reason::internal_error, "TO"},
    {Reason::service_unavailable, "TO"},
    {Reason::server_timeout, "TO"},
    {Reason::resource_version_too_large, "T"},
    {Reason::unexpected_status, "O"},
    {Reason::deadline_exceeded, "TO"},
    {Reason::unreachable, "TU"},
    {Reason::tls, "U"},
    {Reason::disconnected, "TO"},
    {Reason::malformed, "O"},
    {Reason::body_too_large, "O"},
    {Reason::shutting_down, ""},
    {Reason::configuration, ""},
};

TEST(Error, follows_table_of_reasons) {
  std::set<Reason> seen;
  for (const Row& row : kRows) {
    const Error error{row.reason, "text"};
    std::string verdict;
    if (is_transient(error)) verdict += 'T';
    if (is_refused_untouched(error)) verdict += 'U';
    if (is_outcome_unknown(error)) verdict += 'O';
    EXPECT_EQ(verdict, row.verdict) << to_string(row.reason);
    seen.insert(row.reason);
  }
  EXPECT_EQ(seen.size(), kReasonCount) << "a reason has no row here";
}

TEST(Error, separates_not_executed_from_unknown_outcome) {
  for (const Row& row : kRows) {
    const Error error{row.reason, ""};
    EXPECT_FALSE(is_refused_untouched(error) && is_outcome_unknown(error)) << to_string(error);
  }
}

TEST(Error, is_gone_only_for_named_object) {
  EXPECT_TRUE(is_object_gone({Reason::object_not_found, ""}));
  EXPECT_TRUE(is_object_gone({Reason::another_object, ""}));
  EXPECT_FALSE(is_object_gone({Reason::not_served, ""}));
  EXPECT_FALSE(is_not_found({Reason::not_served, ""}));
}

TEST(Error, prints_reason) {
  EXPECT_EQ(to_string(Error{Reason::forbidden, "pods is forbidden"}),
            "forbidden: pods is forbidden");
}

}  // namespace
}  // namespace dcm::runtime
