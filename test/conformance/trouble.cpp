#include "test/conformance/trouble.hpp"

#include <boost/json.hpp>

namespace dcm::conformance {

support::Fault answer(std::uint16_t status, const char* reason, http::Headers headers) {
  headers.set("Content-Type", "application/json");
  const boost::json::value body{{"kind", "Status"},     {"apiVersion", "v1"}, {"status", "Failure"},
                                {"message", "by test"}, {"reason", reason},   {"code", status}};
  return {.kind = support::FaultKind::answer,
          .answer = {.status = status, .headers = headers, .body = boost::json::serialize(body)}};
}

std::vector<Trouble> troubles() {
  return {
      {"the_answer_is_lost", {.kind = support::FaultKind::drop_answer}},
      {"the_answer_is_cut_in_its_body", {.kind = support::FaultKind::cut_answer, .bytes = 20}},
      {"the_request_is_lost", {.kind = support::FaultKind::reset}},
      {"a_proxy_says_503_for_what_was_done",
       {.kind = support::FaultKind::disown,
        .answer = {.status = 503, .headers = {}, .body = "upstream connect error"}}},
      {"a_policy_denies", answer(422, "Invalid")},
      {"409", answer(409, "Conflict")},
      {"429_with_retry_after", answer(429, "TooManyRequests", {{"Retry-After", "1"}})},
      {"500", answer(500, "InternalError")},
      {"503", answer(503, "ServiceUnavailable")},
      {"504", answer(504, "Timeout")},
  };
}

}  // namespace dcm::conformance
