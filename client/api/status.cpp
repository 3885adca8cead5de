#include "client/api/status.hpp"

#include <algorithm>
#include <optional>
#include <ranges>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "client/api/json/decoder.hpp"
#include "client/api/json/document.hpp"
#include "client/api/protobuf/envelope.hpp"
#include "client/api/protobuf/metadata.hpp"
#include "runtime/one_line.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::api {
namespace {

using runtime::Error;
using runtime::FieldCause;
using runtime::Reason;

bool has_cause_reason(const StatusBody& status, std::string_view reason) {
  return std::ranges::any_of(status.causes,
                             [&](const StatusCause& cause) { return cause.reason == reason; });
}

bool has_cause_field(const StatusBody& status, std::string_view field) {
  return std::ranges::any_of(status.causes,
                             [&](const StatusCause& cause) { return cause.field == field; });
}

Reason invalid_reason(const StatusBody& status) {
  return has_cause_field(status, "metadata.uid") ? Reason::another_object : Reason::invalid;
}

// Whether the object with that UID is gone, in the three places where the API server compares UIDs
// (delete preconditions, writes, an apply that must not create). Only the message distinguishes
// them from an outdated version.
bool is_about_uid(std::string_view message) {
  return message.starts_with("Operation cannot be fulfilled on ") &&
         (message.contains(": the UID in the precondition (") ||
          message.contains(": Precondition failed: UID in precondition: ") ||
          message.contains(": uid mismatch: "));
}

Reason conflict_reason(const StatusBody& status) {
  if (status.reason == "AlreadyExists") return Reason::already_exists;
  return is_about_uid(status.message) ? Reason::another_object : Reason::conflict;
}

// An eviction reads and writes the pod's budget, which may disappear or change meanwhile. That says
// nothing about the pod, and means "not now" as well. A 429 that names no budget has another
// source: the server's flow control, a webhook, a proxy.
bool is_about_budget(std::uint16_t http_status, const StatusBody& status) {
  if (http_status == 429) return has_cause_reason(status, "DisruptionBudget");
  return (http_status == 404 || http_status == 409) &&
         status.details_kind == "poddisruptionbudgets";
}

// The API server passes on a webhook's Status, with these words before its message. For example, a
// webhook that cannot find its own configuration answers 404, and one that another server does not
// let in, 401.
bool is_of_webhook(const StatusBody& status) {
  return status.message.starts_with("admission webhook \"");
}

Reason reason_of(std::uint16_t http_status, const StatusBody& status) {
  if (is_of_webhook(status)) {
    const bool is_about_others =
        http_status == 401 || http_status == 404 || http_status == 409 || http_status == 410;
    return reason_of(is_about_others ? 403 : http_status, {});
  }
  if (is_about_budget(http_status, status)) return Reason::disruption_budget;
  switch (http_status) {
    case 400:
      return Reason::bad_request;
    case 401:
      return Reason::unauthorized;
    case 403:
      return has_cause_reason(status, "NamespaceTerminating") ? Reason::namespace_terminating
                                                              : Reason::forbidden;
    case 404:
      return status.details_name.empty() ? Reason::not_served : Reason::object_not_found;
    case 405:
      return Reason::method_not_allowed;
    case 406:
      return Reason::not_acceptable;
    case 409:
      return conflict_reason(status);
    case 410:
      return Reason::gone;
    case 413:
      return Reason::request_too_large;
    case 415:
      return Reason::unsupported_media_type;
    case 422:
      return invalid_reason(status);
    case 429:
      return Reason::too_many_requests;
    case 500:
      return Reason::internal_error;
    case 503:
      return Reason::service_unavailable;
    case 504:
      return has_cause_reason(status, "ResourceVersionTooLarge")
                 ? Reason::resource_version_too_large
                 : Reason::server_timeout;
    default:
      return Reason::unexpected_status;
  }
}

// A proxy's error page states the problem at the beginning.
constexpr std::size_t kPageLengthMax = 300;
constexpr std::size_t kCauseTextMax = 300;

// On one line and printable: a proxy's answer must not be able to forge log lines or events.
std::string presentable(std::string_view text, std::size_t length_max) {
  const bool is_utf8 = simdjson::validate_utf8(text.data(), text.size());
  std::string result;
  for (const char c : is_utf8 ? runtime::cut_utf8(text, length_max) : text.substr(0, length_max)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_blank = byte <= 0x20 || byte == 0x7f;
    if (is_blank && (result.empty() || result.back() == ' ')) continue;
    result += is_blank ? ' ' : byte >= 0x80 && !is_utf8 ? '?' : c;
  }
  if (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

std::string message_or_default(std::uint16_t http_status, std::string_view text,
                               std::size_t length_max) {
  std::string message = presentable(text, length_max);
  return message.empty() ? fmt::format("HTTP status {}", http_status) : message;
}

std::optional<runtime::Duration> retry_after(const StatusBody& status) {
  if (status.retry_after_seconds <= 0) return {};
  return std::min<runtime::Duration>(runtime::bounded_seconds(status.retry_after_seconds),
                                     kRetryAfterMax);
}

std::vector<FieldCause> causes_of(Reason reason, const StatusBody& status) {
  std::vector<FieldCause> causes;
  if (reason != Reason::invalid) return causes;
  for (const StatusCause& cause : status.causes | std::views::take(kStatusCausesMax)) {
    causes.emplace_back(presentable(cause.field, kCauseTextMax),
                        presentable(cause.message, kCauseTextMax));
  }
  return causes;
}

std::optional<StatusBody> decode_json_status(std::string_view body) {
  json::Document document(body);
  StatusBody status;
  const bool is_read = document.each_field([&](std::string_view key, json::value field) {
    return json::read_status_field(document.reader(), key, field, status);
  });
  if (!is_read) return std::nullopt;
  return status;
}

std::optional<StatusBody> decode_protobuf_status(std::string_view body) {
  auto decoded = protobuf::read_bytes([&]() -> runtime::Result<StatusBody> {
    protobuf::Texts texts;
    const protobuf::Envelope envelope = protobuf::open_envelope(body, texts);
    StatusBody status = protobuf::read_status(protobuf::Field(envelope.object, texts));
    status.kind = envelope.kind;
    return status;
  });
  if (!decoded) return std::nullopt;
  return *std::move(decoded);
}

}  // namespace

Error to_error(std::uint16_t http_status, const StatusBody& status) {
  const Reason reason = reason_of(http_status, status);
  return {.reason = reason,
          .message = message_or_default(http_status, status.message, kStatusMessageBytesMax),
          .http_status = http_status,
          .retry_after = retry_after(status),
          .causes = causes_of(reason, status)};
}

Error decode_status_error(std::uint16_t http_status, std::string_view body) {
  const bool is_protobuf = protobuf::has_envelope(body);
  const auto status = is_protobuf ? decode_protobuf_status(body) : decode_json_status(body);
  if (status && status->kind == "Status") return to_error(http_status, *status);
  Error error = to_error(http_status, {});
  error.message = message_or_default(http_status, body, kPageLengthMax);
  return error;
}

bool is_of_api(std::string_view body) {
  std::string kind;
  if (protobuf::has_envelope(body)) {
    return protobuf::read_bytes([&]() -> runtime::Result<bool> {
             protobuf::Texts texts;
             return !protobuf::open_envelope(body, texts).kind.empty();
           })
        .value_or(false);
  }
  json::Document document(body);
  const bool is_read = document.each_field([&](std::string_view key, json::value field) {
    return key != "kind" || document.reader().text(field, kind);
  });
  return is_read && !kind.empty();
}

}  // namespace dcm::api
