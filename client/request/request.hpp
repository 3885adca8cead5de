// A call to the API server as a plain value: its request, its urgency, and its limits.
//
// The functions below build the calls that exist (Kubernetes API concepts: verbs, paths, query
// parameters). Nothing here sends anything.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/api/format.hpp"
#include "client/api/meta.hpp"
#include "client/api/resource.hpp"
#include "runtime/deadline.hpp"
#include "runtime/http/message.hpp"

namespace dcm::client {

enum class Verb : std::uint8_t {
  get,
  list,
  watch,
  create,
  update,
  apply,                  // server-side apply, application/apply-patch+yaml
  strategic_merge_patch,  // application/strategic-merge-patch+json
  merge_patch,            // application/merge-patch+json (RFC 7396)
  delete_,
  json_patch,  // application/json-patch+json (RFC 6902)
};

http::Method method_of(Verb verb);
// The media type of a body in JSON; empty for verbs without one.
std::string_view content_type_of(Verb verb);
bool is_write(Verb verb);
// Whether a request is harmless to repeat even if the first attempt was carried out. Merge patches,
// updates and deletions carry preconditions (uid, resourceVersion), so a second one is a no-op or a
// conflict; a second create may create a second object, and a second JSON patch may add a second
// list item.
bool is_idempotent(Verb verb);

// The order of requests when the client's own limits are reached.
enum class PriorityLevel : std::uint8_t {
  live,     // work for something that just changed
  backlog,  // from a start, a takeover or a relist
  event,    // core/v1 Events: never in the way of work
  exempt,   // leases, and requests with their own limits: no limit applies
};

// Whether a write asks the write gate (the leader's fence) before its bytes leave.
enum class Fencing : std::uint8_t { fenced, unfenced };

// Whether the client repeats a request itself (retry.hpp) or leaves that to the caller, who may
// have other work meanwhile, or reads again before each attempt.
enum class Retries : std::uint8_t {
  // Even after server errors (500, Retry-After): for a caller without a queue. The call may take
  // half a minute.
  allowed,
  // Only while no server answers at all, which is no tenant's fault. Server errors are left to the
  // caller's queue, which is fair: a worker that waits for one tenant's problem is lost to all
  // other tenants.
  unanswered,
  none,
};

// How an answer or a watch is transferred.
enum class Compression : std::uint8_t { none, gzip };

struct ApiRequest {
  Verb verb = Verb::get;
  std::string target;  // path and query, encoded, relative to the server's path prefix
  std::string body = {};
  api::Format body_format = api::Format::json;  // protobuf for creates only
  // A credential in the body, such as a caller's token, which no error or log line may show. Empty
  // if none.
  std::string secret = {};
  std::string accept = std::string(api::kJson);
  Compression compression = Compression::none;  // for the answer
  PriorityLevel priority = PriorityLevel::live;
  Fencing fencing = Fencing::fenced;  // for writes; only lease requests are unfenced
  Retries retries = Retries::unanswered;
  // For the whole call with its retries. Without one, the client's own timeouts apply, which are
  // longer than the server's; a write that is abandoned earlier has an unknown outcome.
  runtime::Deadline deadline = {};
  std::size_t answer_bytes_max = 16 * 1024 * 1024;
};

// The options of any call.
struct CallOptions {
  PriorityLevel priority = PriorityLevel::live;
  runtime::Deadline deadline = {};
  Retries retries = Retries::unanswered;
};

using QueryParameters = std::vector<std::pair<std::string_view, std::string_view>>;

// `path?a=1&b=2`, values percent-encoded (RFC 3986). Parameters with an empty value are left out.
std::string make_target(std::string_view path, const QueryParameters& parameters);

ApiRequest get_request(const api::Resource& resource, const api::NamespacedName& key,
                       CallOptions options = {});
// The writes below, apart from apply, name no field manager: the API server uses the
// part of the User-Agent before the first slash.
//
// Creates in `namespace_` (empty: cluster-scoped).
ApiRequest create_request(const api::Resource& resource, std::string_view namespace_,
                          api::Encoded body, CallOptions options = {});
// Replaces the whole object; `body` has its resourceVersion.
ApiRequest update_request(const api::Resource& resource, const api::NamespacedName& key,
                          std::string body, CallOptions options = {});
// Creates at a subresource of an object (`/eviction`); the body states what is created.
ApiRequest create_subresource_request(const api::Resource& resource, const api::NamespacedName& key,
                                      std::string_view subresource, std::string body,
                                      CallOptions options = {});
// Server-side apply with force: takes over fields that others own.
ApiRequest apply_request(const api::Resource& resource, const api::NamespacedName& key,
                         std::string_view subresource, std::string_view field_manager,
                         std::string body, CallOptions options = {});
ApiRequest strategic_merge_patch_request(const api::Resource& resource,
                                         const api::NamespacedName& key,
                                         std::string_view subresource, std::string body,
                                         CallOptions options = {});
// A null removes a field, a list replaces the whole list.
ApiRequest merge_patch_request(const api::Resource& resource, const api::NamespacedName& key,
                               std::string_view subresource, std::string body,
                               CallOptions options = {});
// `body` is a list of operations; a `test` that fails is Reason::invalid (422).
ApiRequest json_patch_request(const api::Resource& resource, const api::NamespacedName& key,
                              std::string_view subresource, std::string body,
                              CallOptions options = {});
// `body` is DeleteOptions with the UID as precondition.
ApiRequest delete_request(const api::Resource& resource, const api::NamespacedName& key,
                          std::string body, CallOptions options = {});

// Which objects of a kind a list or watch shows, as the API server filters them.
struct Selection {
  std::string namespace_ = {};      // empty: all
  std::string label_selector = {};  // "app=web,tier in (a, b)"
  std::string field_selector = {};  // "spec.nodeName=node-0"
};

struct ListOptions {
  Selection selection = {};
  std::size_t limit = 500;          // 0: the whole list
  std::string continue_token = {};  // empty: the first page
};
// A page of a list. Without a resourceVersion, so the first page is a consistent read.
ApiRequest list_request(const api::Resource& resource, const ListOptions& list,
                        CallOptions options = {});

// Whether a watch begins with the whole state (a "watch list", KEP-3157).
enum class InitialEvents : std::uint8_t { none, send };

struct WatchOptions {
  // Where to resume. Empty, with `initial_events`: begin at the newest state.
  api::ResourceVersion resource_version = {};
  InitialEvents initial_events = InitialEvents::none;
  // After this long the server ends the watch itself.
  runtime::Duration server_timeout = std::chrono::minutes(5);
  Selection selection = {};
};
// Bookmarks are always requested. A watch list is compressed if the server supports it (and
// replaced by a plain watch at its end); compressing single events would cost more than it saves.
ApiRequest watch_request(const api::Resource& resource, const WatchOptions& watch,
                         CallOptions options = {});

}  // namespace dcm::client
