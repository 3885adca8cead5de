#include "client/api/status.hpp"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "client/api/protobuf/envelope.hpp"

namespace dcm::api {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using runtime::Reason;

// A Status; `rest` are further fields.
std::string status_json(std::string_view rest) {
  return fmt::format(
      R"({{"kind":"Status","apiVersion":"v1","metadata":{{}},"status":"Failure"{}{}}})",
      rest.empty() ? "" : ",", rest);
}

// Answers of kube-apiserver to a DELETE and an eviction.
TEST(IsOfApi, accepts_objects_and_statuses_in_both_formats) {
  EXPECT_TRUE(is_of_api(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success",)"
                        R"("details":{"name":"a","group":"resource.k8s.io",)"
                        R"("kind":"resourceclaims","uid":"u"}})"));
  EXPECT_TRUE(is_of_api(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success",)"
                        R"("code":201})"));
  EXPECT_TRUE(is_of_api(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":{},)"
                        R"("status":{"phase":"Running"}})"
                        "\n"));
  EXPECT_TRUE(is_of_api(protobuf::wrap("v1", "Status", "\x12\x07Success")));
  EXPECT_TRUE(is_of_api(protobuf::wrap("v1", "Pod", "")));
}

TEST(IsOfApi, rejects_other_bodies) {
  for (const std::string& body :
       {""s, "<html>"s, "ok"s, "[]"s, "{}"s, R"({"kind":"")"s, R"({"kind":""})"s, R"({"kind":7})"s,
        R"({"error":"x"})"s, "k8s\0"s, "k8s\0\xff"s}) {
    EXPECT_FALSE(is_of_api(body)) << body;
  }
}

struct Row {
  std::string_view why;
  std::uint16_t http_status;
  std::string_view rest;
  Reason reason;
};

constexpr Row kRows[] = {
    {"400", 400, R"("reason":"BadRequest")", Reason::bad_request},
    {"401", 401, R"("reason":"Unauthorized")", Reason::unauthorized},
    {"403 by a policy or quota", 403, R"("reason":"Forbidden","details":{"name":"x"})",
     Reason::forbidden},
    {"403 in a namespace that goes away", 403,
     R"("reason":"Forbidden","details":{"causes":[{"reason":"X"},
        {"reason":"NamespaceTerminating","message":"namespace lab is being terminated",
         "field":"metadata.namespace"}]})",
     Reason::namespace_terminating},
    {"404 of an object", 404, R"("reason":"NotFound","details":{"name":"a","kind":"pods"})",
     Reason::object_not_found},
    {"404 of the object's namespace", 404,
     R"("reason":"NotFound","details":{"name":"lab","kind":"namespaces"})",
     Reason::object_not_found},
    {"404 of a path", 404, R"("reason":"NotFound","details":{})", Reason::not_served},
    {"404 without details", 404, R"("reason":"NotFound")", Reason::not_served},
    {"404 with an empty name", 404, R"("details":{"name":""})", Reason::not_served},
    {"405", 405, R"("reason":"MethodNotAllowed")", Reason::method_not_allowed},
    {"406", 406, R"("reason":"NotAcceptable")", Reason::not_acceptable},
    {"409 of a name that is taken", 409, R"("reason":"AlreadyExists")", Reason::already_exists},
    {"409 of a version that has passed", 409, R"("reason":"Conflict")", Reason::conflict},
    {"409 otherwise", 409, "", Reason::conflict},
    {"409 of a delete of another object", 409,
     R"("reason":"Conflict","message":"Operation cannot be fulfilled on foos.example.com \"a\": the UID in the precondition (u-1) does not match the UID in record (u-2). The object might have been deleted and then recreated","details":{"name":"a"})",
     Reason::another_object},
    {"409 of a write to another object", 409,
     R"("reason":"Conflict","message":"Operation cannot be fulfilled on pods \"a\": Precondition failed: UID in precondition: u-1, UID in object meta: u-2","details":{"name":"a"})",
     Reason::another_object},
    {"409 of an apply that must not create", 409,
     R"("reason":"Conflict","message":"Operation cannot be fulfilled on foos.example.com \"a\": uid mismatch: the provided object specified uid u-1, and no existing object was found","details":{"name":"a"})",
     Reason::another_object},
    {"409 of a webhook that speaks of UIDs", 409,
     R"("reason":"Conflict","message":"admission webhook \"w\" denied the request: x: uid mismatch: y")",
     Reason::forbidden},
    {"410 of a version", 410, R"("reason":"Expired")", Reason::gone},
    {"410 of a continue token", 410, R"("reason":"Gone")", Reason::gone},
    {"413", 413, R"("reason":"RequestEntityTooLarge")", Reason::request_too_large},
    {"415", 415, R"("reason":"UnsupportedMediaType")", Reason::unsupported_media_type},
    {"422 of a field", 422, R"("reason":"Invalid","details":{"causes":[{"field":"spec"}]})",
     Reason::invalid},
    {"422 of the UID: another object of that name", 422,
     R"("reason":"Invalid","details":{"causes":[{"reason":"FieldValueInvalid","message":"m",
        "field":"metadata.uid"}]})",
     Reason::another_object},
    {"429", 429, R"("reason":"TooManyRequests")", Reason::too_many_requests},
    {"429 of a budget", 429,
     R"("reason":"TooManyRequests","details":{"causes":[{"reason":"DisruptionBudget",
        "message":"The disruption budget b needs 2 healthy pods and has 2 currently"}]})",
     Reason::disruption_budget},
    {"404, about a budget", 404, R"("details":{"name":"b","kind":"poddisruptionbudgets"})",
     Reason::disruption_budget},
    {"409, about a budget", 409, R"("details":{"name":"b","kind":"poddisruptionbudgets"})",
     Reason::disruption_budget},
    {"404, about a pod", 404, R"("details":{"name":"p","kind":"pods"})", Reason::object_not_found},
    {"500", 500, R"("reason":"InternalError")", Reason::internal_error},
    {"503", 503, R"("reason":"ServiceUnavailable")", Reason::service_unavailable},
    {"504", 504, R"("reason":"Timeout")", Reason::server_timeout},
    {"504 of a version that the server has not seen yet", 504,
     R"("reason":"Timeout","details":{"retryAfterSeconds":1,"causes":[
        {"reason":"ResourceVersionTooLarge","message":"Too large resource version"}]})",
     Reason::resource_version_too_large},
    {"418", 418, "", Reason::unexpected_status},
};

// What a webhook may answer about the objects that it looked up itself.
constexpr Row kRowsOfWebhook[] = {
    {"401", 401, "", Reason::forbidden},
    {"404", 404, R"(,"details":{"name":"policy","kind":"configmaps"})", Reason::forbidden},
    {"404 of a path", 404, "", Reason::forbidden},
    {"404 of a budget", 404, R"(,"details":{"name":"b","kind":"poddisruptionbudgets"})",
     Reason::forbidden},
    {"409", 409, "", Reason::forbidden},
    {"409 of a name", 409, R"(,"reason":"AlreadyExists")", Reason::forbidden},
    {"410", 410, "", Reason::forbidden},
    {"403 of a namespace", 403, R"(,"details":{"causes":[{"reason":"NamespaceTerminating"}]})",
     Reason::forbidden},
    {"422 of a UID", 422, R"(,"details":{"causes":[{"field":"metadata.uid"}]})", Reason::invalid},
    {"429 of a budget", 429, R"(,"details":{"causes":[{"reason":"DisruptionBudget"}]})",
     Reason::too_many_requests},
    {"500", 500, "", Reason::internal_error},
};

TEST(Status, takes_answer_of_webhook_for_refusal) {
  for (const Row& row : kRowsOfWebhook) {
    SCOPED_TRACE(row.why);
    const std::string rest =
        R"("message":"admission webhook \"w\" denied the request: x")" + std::string(row.rest);
    EXPECT_EQ(decode_status_error(row.http_status, status_json(rest)).reason, row.reason);
  }
}

TEST(Status, reads_reason) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.why);
    const auto error = decode_status_error(row.http_status, status_json(row.rest));
    EXPECT_EQ(error.reason, row.reason);
    EXPECT_EQ(error.http_status, row.http_status);
  }
}

TEST(Status, keeps_message_of_server) {
  const auto error = decode_status_error(
      404, status_json(R"("message":"pods \"a\" not found","details":{"name":"a"})"));
  EXPECT_EQ(error.message, "pods \"a\" not found");
}

TEST(Status, names_fields_of_invalid_object) {
  const auto error =
      decode_status_error(422, status_json(R"("details":{"causes":[{"reason":"FieldValueForbidden",
        "message":"Forbidden:\nask for it","field":"status.allocation"}]})"));
  EXPECT_EQ(error.reason, Reason::invalid);
  ASSERT_EQ(error.causes.size(), 1U);
  EXPECT_EQ(error.causes[0].field, "status.allocation");
  EXPECT_EQ(error.causes[0].message, "Forbidden: ask for it");
}

TEST(Status, bounds_causes) {
  std::string causes = R"({"field":")" + std::string(5000, 'f') + R"("})";
  for (int i = 0; i < 1000; ++i) causes += R"(,{"field":"spec"})";
  const auto error =
      decode_status_error(422, status_json(R"("details":{"causes":[)" + causes + "]}"));
  EXPECT_EQ(error.causes.size(), kStatusCausesMax);
  EXPECT_EQ(error.causes[0].field, std::string(300, 'f'));
}

TEST(Status, uses_other_body_as_message) {
  constexpr std::pair<std::string_view, std::string_view> kBodies[] = {
      {"404 page not found\n", "404 page not found"},
      {"<html>\n <body>Bad\tgateway</body>\r\n", "<html> <body>Bad gateway</body>"},
      {R"({"details":{"name":"x"}})", R"({"details":{"name":"x"}})"},
      {R"({"kind":"Pod","details":{"name":"x"}})", R"({"kind":"Pod","details":{"name":"x"}})"},
      {R"({"kind":"Status","details":5,"message":"m"})",
       R"({"kind":"Status","details":5,"message":"m"})"},
      {R"({"kind":"Status","details":{"name":"x")", R"({"kind":"Status","details":{"name":"x")"},
      {"", "HTTP status 404"},
      {" \n ", "HTTP status 404"},
      {"a\xff\xfe z", "a?? z"},
      {"\x1b[31mred\x07", "[31mred"},
  };
  for (const auto& [body, message] : kBodies) {
    const auto error = decode_status_error(404, body);
    EXPECT_EQ(error.message, message);
    EXPECT_EQ(error.reason, Reason::not_served) << body;
    EXPECT_EQ(error.retry_after, std::nullopt);
  }
}

TEST(Status, bounds_message_to_event_length) {
  const std::string hint(1100, 'h');
  const auto error = decode_status_error(
      422, R"({"kind":"Status","reason":"Invalid","message":")" + hint + R"("})");
  EXPECT_EQ(error.message, hint.substr(0, 1024));
}

TEST(Status, cuts_long_message_between_characters) {
  EXPECT_EQ(decode_status_error(500, std::string(5000, 'x')).message, std::string(300, 'x'));
  const std::string umlauts = "x" + [] {
    std::string text;
    for (int i = 0; i < 600; ++i) text += "ä";
    return text;
  }();
  EXPECT_EQ(decode_status_error(500, umlauts).message, umlauts.substr(0, 299));
  const auto from_status =
      decode_status_error(500, status_json(fmt::format(R"("message":"{}")", umlauts)));
  EXPECT_EQ(from_status.message, umlauts.substr(0, 1023));
}

TEST(Status, prevents_forged_lines_in_message) {
  EXPECT_EQ(
      decode_status_error(500, status_json(R"("message":"a\n\u0000b\u001b[0m\u007fc")")).message,
      "a b [0m c");
}

TEST(Status, reads_retry_after) {
  const auto retry_after = [](std::string_view details) {
    return decode_status_error(429, status_json(fmt::format(R"("details":{})", details)))
        .retry_after;
  };
  EXPECT_EQ(retry_after(R"({"retryAfterSeconds":7})"), 7s);
  EXPECT_EQ(retry_after(R"({"retryAfterSeconds":0})"), std::nullopt);
  EXPECT_EQ(retry_after(R"({"retryAfterSeconds":-1})"), std::nullopt);
  EXPECT_EQ(retry_after(R"({"retryAfterSeconds":null})"), std::nullopt);
  EXPECT_EQ(retry_after("{}"), std::nullopt);
  EXPECT_EQ(retry_after(R"({"retryAfterSeconds":9223372036854775807})"), 30s);
}

}  // namespace
}  // namespace dcm::api
