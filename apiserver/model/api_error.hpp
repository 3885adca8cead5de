// Failures as the Kubernetes API reports them: a code and a metav1.Status body. Texts match
// k8s.io/apimachinery's api/errors and util/validation/field, because clients and tests read them.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

struct ResourceType;

// An entry of `details.causes`. `message` is without the field's name.
struct Cause {
  std::string reason;
  std::string message;
  std::string field;
  bool is_accepted = false;  // the value was like this before: it is warned of, not refused
};
using Causes = std::vector<Cause>;

// A value in a message as Go shows it: JSON of objects and lists escapes HTML characters.
std::string shown_value(const Json& value);

// field.Invalid, Required, Forbidden, Duplicate, TooMany, NotSupported, NotFound.
Cause invalid_value(std::string field, const Json& value, std::string_view why = {});
Cause required_value(std::string field, std::string_view why = {});
Cause forbidden_value(std::string field, std::string_view why);
Cause duplicate_value(std::string field, const Json& value);
Cause too_many(std::string field, std::size_t count, std::size_t limit);
Cause too_long(std::string field, std::size_t limit);
Cause too_many_characters(std::string field, std::size_t limit);
Cause not_supported(std::string field, const Json& value,
                    std::initializer_list<std::string_view> supported);
Cause not_found_value(std::string field, const Json& value, std::string_view why = {});
// A CEL expression that does not compile, or whose constants fail.
Cause bad_expression(std::string field, std::string_view expression, std::string_view why);

// "FIELD: MESSAGE", or "[FIELD: MESSAGE, …]".
std::string joined(const Causes& causes);

struct ApiError {
  int code;
  std::string reason;  // "" for a failure without a reason
  std::string message;
  std::optional<JsonObject> details = {};
  std::optional<int> retry_after_seconds = {};
  JsonObject metadata = {};  // of the Status, a ListMeta

  // The body: kind Status, apiVersion v1.
  JsonObject to_status() const;
};

template <class T = void>
using Result = std::expected<T, ApiError>;

ApiError bad_request(std::string message);
ApiError name_undeterminable(std::string_view name);
ApiError not_found(const ResourceType& type, std::string_view name);
ApiError not_served();
ApiError already_exists(const ResourceType& type, std::string_view name);
ApiError no_free_name(const ResourceType& type, std::string_view name);
// `why` follows "Operation cannot be fulfilled on …: ".
ApiError conflict(const ResourceType& type, std::string_view name, std::string_view why);
ApiError changed_meanwhile(const ResourceType& type, std::string_view name);
ApiError invalid(const ResourceType& type, std::string_view name, const Causes& causes);
// A PUT without a required resourceVersion. (Names the resource, not the kind.)
ApiError version_required(const ResourceType& type, std::string_view name);
// A failed precondition of a DELETE. (Names the kind, not the resource.)
ApiError precondition_failed(const ResourceType& type, std::string_view name, std::string why);
// An invalid options object (ListOptions, PatchOptions, …) of group meta.k8s.io.
ApiError invalid_options(std::string_view kind, const Causes& causes);
ApiError forbidden(const ResourceType& type, std::string_view name, std::string_view why);
ApiError namespace_terminating(const ResourceType& type, std::string_view name,
                               std::string_view ns);
ApiError method_not_allowed();
// The answer for a defined kind.
ApiError method_not_supported(const ResourceType& type, std::string_view verb);
// `accepted`: the media types of such an answer.
ApiError not_acceptable(std::string_view accepted);
ApiError unsupported_media_type(std::string_view accepted);
ApiError unsupported_patch_type();
// `why` follows "Request entity too large: ".
ApiError too_large(std::string_view why);
// A patch whose result is no object of its kind.
ApiError invalid_patch(const Json& shown, std::string_view why);
ApiError expired(std::string message);
ApiError version_too_large(std::uint64_t wanted, std::uint64_t current);
// An object stored in a version from which it cannot be converted, and a list with such an object.
ApiError unreadable(const ResourceType& type, std::string_view key, std::string_view revision);
ApiError unreadable_list(const ResourceType& type, std::string_view key, std::string_view revision);
// The answer to a change of such an object.
ApiError undecodable(const ResourceType& type, std::string_view revision);
// A watch of objects that do not exist yet, or cannot be read.
ApiError not_initialized();
// A plain Go error: 500 without a reason.
ApiError plain_failure(std::string message);

}  // namespace dcm::apiserver
