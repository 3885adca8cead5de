#include "runtime/error.hpp"

#include <array>

#include <fmt/format.h>

namespace dcm::runtime {
namespace {

// The traits of a reason, for callers; this table is the only source of them.
struct Traits {
  Reason reason;
  std::string_view name;
  bool transient = false;          // may pass by itself within seconds
  bool refused_untouched = false;  // certainly not executed, and may be accepted later
  bool outcome_unknown = false;    // may have been executed
};

constexpr std::array<Traits, kReasonCount> kTraits = {{
    {Reason::bad_request, "bad_request"},
    {Reason::unauthorized, "unauthorized"},
    {Reason::forbidden, "forbidden"},
    {Reason::namespace_terminating, "namespace_terminating"},
    {Reason::object_not_found, "object_not_found"},
    {Reason::not_served, "not_served"},
    {Reason::method_not_allowed, "method_not_allowed"},
    {Reason::not_acceptable, "not_acceptable"},
    {Reason::already_exists, "already_exists"},
    {Reason::conflict, "conflict"},
    {Reason::gone, "gone"},
    {Reason::request_too_large, "request_too_large"},
    {Reason::unsupported_media_type, "unsupported_media_type"},
    {Reason::invalid, "invalid"},
    {Reason::another_object, "another_object"},
    {.reason = Reason::too_many_requests,
     .name = "too_many_requests",
     .transient = true,
     .refused_untouched = true},
    {.reason = Reason::disruption_budget,
     .name = "disruption_budget",
     .transient = true,
     .refused_untouched = true},
    {.reason = Reason::internal_error,
     .name = "internal_error",
     .transient = true,
     .outcome_unknown = true},
    {.reason = Reason::service_unavailable,
     .name = "service_unavailable",
     .transient = true,
     // A proxy may answer this after it has forwarded the request.
     .outcome_unknown = true},
    {.reason = Reason::server_timeout,
     .name = "server_timeout",
     .transient = true,
     .outcome_unknown = true},
    {.reason = Reason::resource_version_too_large,
     .name = "resource_version_too_large",
     .transient = true},
    {.reason = Reason::unexpected_status, .name = "unexpected_status", .outcome_unknown = true},
    {.reason = Reason::deadline_exceeded,
     .name = "deadline_exceeded",
     .transient = true,
     .outcome_unknown = true},
    {.reason = Reason::unreachable,
     .name = "unreachable",
     .transient = true,
     .refused_untouched = true},
    {.reason = Reason::tls, .name = "tls", .refused_untouched = true},
    {.reason = Reason::disconnected,
     .name = "disconnected",
     .transient = true,
     .outcome_unknown = true},
    {.reason = Reason::malformed, .name = "malformed", .outcome_unknown = true},
    {.reason = Reason::body_too_large, .name = "body_too_large", .outcome_unknown = true},
    {Reason::shutting_down, "shutting_down"},
    {Reason::configuration, "configuration"},
}};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kTraits.size(); ++i) {
    if (static_cast<std::size_t>(kTraits[i].reason) != i) return false;
  }
  return true;
}
static_assert(is_in_order(), "kTraits has one row for each Reason, in its order");

const Traits& traits(Reason reason) {
  return kTraits[static_cast<std::size_t>(reason)];
}

}  // namespace

std::string_view to_string(Reason reason) {
  return traits(reason).name;
}

std::string to_string(const Error& error) {
  return fmt::format("{}: {}", to_string(error.reason), error.message);
}

bool is_not_found(const Error& error) {
  return error.reason == Reason::object_not_found;
}

bool is_conflict(const Error& error) {
  return error.reason == Reason::conflict;
}

bool is_object_gone(const Error& error) {
  return error.reason == Reason::object_not_found || error.reason == Reason::another_object;
}

bool is_expired(const Error& error) {
  return error.reason == Reason::gone;
}

bool is_transient(const Error& error) {
  return traits(error.reason).transient;
}

bool is_refused_untouched(const Error& error) {
  return traits(error.reason).refused_untouched;
}

bool is_outcome_unknown(const Error& error) {
  return traits(error.reason).outcome_unknown;
}

}  // namespace dcm::runtime
