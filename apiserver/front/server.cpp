#include "apiserver/front/server.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "apiserver/definitions/defined_kind.hpp"
#include "apiserver/front/aggregated_discovery.hpp"
#include "apiserver/front/deprecations.hpp"
#include "apiserver/front/discovery.hpp"
#include "apiserver/front/user.hpp"
#include "apiserver/kinds/kinds.hpp"
#include "apiserver/protobuf/protobuf.hpp"
#include "apiserver/reads/partial.hpp"
#include "apiserver/reads/table.hpp"
#include "apiserver/requests/patch_requests.hpp"
#include "apiserver/requests/reviews.hpp"
#include "apiserver/requests/scale_requests.hpp"
#include "apiserver/requests/subresources.hpp"
#include "apiserver/requests/warning_headers.hpp"
#include "apiserver/requests/write_options.hpp"
#include "apiserver/requests/writes.hpp"
#include "apiserver/rules/priority.hpp"
#include "runtime/assert.hpp"
#include "runtime/one_line.hpp"

namespace dcm::apiserver {

struct Server::Parsed {
  std::vector<std::string> segments;
  std::optional<ResourcePath> path;
  const ResourceType* type = nullptr;  // null: no such resource is served
  Query query;
  std::string verb;
  std::optional<Form> form;  // nullopt: none that the client accepts

  bool collection() const { return path->name.empty(); }
  Target target() const {
    return {.type = type, .version = path->version, .ns = path->ns, .name = path->name};
  }
};

namespace {

constexpr std::size_t kBodyBytesMax = 3 * 1024 * 1024;

std::string verb_of(const std::string& method, const ResourcePath& path, bool watch) {
  const bool is_collection = path.name.empty();
  if (method == "GET") return !is_collection ? "get" : watch ? "watch" : "list";
  if (method == "POST") return "create";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return is_collection ? "deletecollection" : "delete";
  return method;
}

// "application/json; charset=utf-8" → "application/json".
std::string_view media_type(std::string_view content_type) {
  return content_type.substr(0, content_type.find(';'));
}

constexpr std::string_view kAnswerTypes =
    "application/json, application/yaml, application/vnd.kubernetes.protobuf";
constexpr std::string_view kWatchTypes =
    "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";

// A body and its type; protobuf is converted to JSON here.
struct Body {
  std::string_view content_type;
  std::string text;
};

Result<Body> as_json(const Request& request) {
  if (request.body.size() > kBodyBytesMax) return std::unexpected(body_too_large());
  const std::string_view type = media_type(request.header("Content-Type"));
  if (type != kProtobuf) return Body{type, request.body};
  const auto object = decode_protobuf(request.body);
  if (!object) return std::unexpected(object.error());
  return Body{kJson, serialize(*object)};
}

// nullopt: objects, not tables.
Result<std::optional<TableStyle>> style_of(const Form& form, const Query& query) {
  if (form.shape != Form::Shape::table) return std::nullopt;
  auto style = table_style(form, query);
  if (!style) return std::unexpected(std::move(style.error()));
  return std::move(*style);
}

std::string manager_of(const Query& query, std::string_view user_agent) {
  if (const auto manager = query.get("fieldManager"); !manager.empty()) return std::string(manager);
  if (user_agent.empty()) return "unknown";
  return runtime::valid_utf8(user_agent.substr(0, user_agent.find('/')));
}

}  // namespace

ApiError body_too_large() {
  return too_large(fmt::format("limit is {}", kBodyBytesMax));
}

namespace {

JsonObject definition_of(const CustomKind& kind) {
  const JsonObject schema{{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
  JsonObject subresources;
  if (kind.status == StatusSubresource::present) subresources["status"] = JsonObject();
  const JsonObject version{{"name", kind.version},
                           {"served", true},
                           {"storage", true},
                           {"schema", JsonObject{{"openAPIV3Schema", schema}}},
                           {"subresources", subresources}};
  return {{"metadata", JsonObject{{"name", kind.plural + "." + kind.group}}},
          {"spec", JsonObject{{"group", kind.group},
                              {"names", JsonObject{{"plural", kind.plural}, {"kind", kind.kind}}},
                              {"scope", kind.scope == Scope::cluster ? "Cluster" : "Namespaced"},
                              {"versions", JsonArray{version}}}}};
}

}  // namespace

Server::Server(runtime::TimeSource& time, runtime::Rng rng, ServerOptions options)
    : time_(time),
      rng_(rng),
      options_(std::move(options)),
      types_(built_in_kinds(), options_.served),
      store_({options_.history_limit, options_.history_bytes}, options_.first_revision),
      registry_(store_, types_, time_, rng_, options_.ownership),
      definitions_(store_, registry_, types_),
      log_(options_.log_limit, options_.log_bytes) {
  store_.on_change([this](std::string_view resource, const Change& change) {
    if (on_change_) on_change_(resource, change);
    definitions_.observe(resource, change);
    watches_.notify(resource, change);
  });
  if (options_.advice) {
    registry_.set_advice(
        [this](const ResourceType& type, const JsonObject& object, const JsonObject* before) {
          return options_.advice({type, object, before, watches_});
        });
  }
  for (const auto* name : {"default", "kube-node-lease", "kube-public", "kube-system"}) {
    make_own("namespaces", JsonObject{{"metadata", JsonObject{{"name", name}}}});
  }
  for (const auto& [name, value, description] : kSystemPriorityClasses) {
    make_own("priorityclasses", JsonObject{{"metadata", JsonObject{{"name", name}}},
                                           {"value", value},
                                           {"description", description}});
  }
  for (const CustomKind& kind : options_.served.custom) {
    make_own("customresourcedefinitions", definition_of(kind));
  }
  settle_definitions();
  // Changes from before the server started are no history, as with a watch cache.
  store_.compact(store_.revision());
}

Server::~Server() {
  DCM_ASSERT(watches_.empty());
}

void Server::make_own(std::string_view resource, JsonObject object) {
  const Target target{.type = &types_.get(resource),
                      .version = "v1",
                      .ns = "",
                      .name = "",
                      .manager = "kube-apiserver"};
  const auto made = registry_.create(target, std::move(object));
  DCM_ASSERT(made.has_value());
}

void Server::restore(std::string_view resource, JsonObject object) {
  const std::string key =
      object_key(text_at(object, {"metadata", "namespace"}), text_at(object, {"metadata", "name"}));
  const std::string& storage = types_.get(resource).storage();
  DCM_ASSERT(store_.get(storage, key) == nullptr);
  store_.put(storage, key, std::move(object));
}

void Server::settle_definitions() {
  definitions_.settle([this](std::string_view storage) { watches_.end_all(storage); });
  definitions_.forget_histories([this](std::string_view storage) {
    return watches_.has_client(storage, [](std::string_view) { return true; });
  });
  (void)registry_.take_warnings();  // no client has requested what follows
}

bool Server::is_watch(const Request& request) {
  if (request.method != "GET") return false;
  const auto path = parse_resource_path(path_segments(request.path));
  return path && path->name.empty() && Query(request.query).is_true("watch");
}

namespace {

// Whether objects of the kind can be read and written in protobuf.
bool speaks_protobuf(const ResourceType& type, std::string_view version) {
  return type.defined == nullptr && encodes_protobuf(type.api_version(version), type.kind);
}

}  // namespace

Server::Parsed Server::parse(const Request& request) const {
  Parsed parsed;
  parsed.segments = path_segments(request.path);
  parsed.path = parse_resource_path(parsed.segments);
  parsed.query = Query(request.query);
  parsed.form = choose_form(request.header("Accept"));
  if (!parsed.path) {
    parsed.verb = request.method == "GET" ? "get" : request.method;
    return parsed;
  }
  parsed.type = types_.find(parsed.path->group, parsed.path->version, parsed.path->resource);
  if (parsed.type != nullptr && !speaks_protobuf(*parsed.type, parsed.path->version)) {
    parsed.form = choose_form(request.header("Accept"), Protobuf::of_metadata);
  }
  parsed.verb = verb_of(request.method, *parsed.path, parsed.query.is_true("watch"));
  return parsed;
}

namespace {

LoggedRequest logged(const Request& request, std::string verb,
                     const std::optional<ResourcePath>& path) {
  LoggedRequest entry;
  entry.verb = std::move(verb);
  if (path) {
    entry.group = path->group;
    entry.version = path->version;
    entry.resource = path->resource;
    entry.subresource = path->subresource;
    entry.ns = path->ns;
    entry.name = path->name;
  }
  entry.query = request.query;
  entry.user_agent = request.header("User-Agent");
  entry.content_type = request.header("Content-Type");
  entry.body = request.body;
  return entry;
}

}  // namespace

Response Server::finish(std::size_t number, LoggedRequest entry, Response response) {
  entry.status = response.status;
  log_.answered(number, response.status);
  if (after_) after_(entry, response);
  return response;
}

Response Server::handle(const Request& request) {
  const Parsed parsed = parse(request);
  LoggedRequest entry = logged(request, parsed.verb, parsed.path);
  const std::size_t number = log_.add(entry);
  if (before_) {
    if (auto instead = before_(entry)) return finish(number, std::move(entry), *instead);
  }
  // Determined before the request is handled, which may change the kinds.
  const bool is_served = parsed.type != nullptr && check_path(request, parsed);
  const std::string deprecation =
      is_served ? deprecation_of(*parsed.type, parsed.path->version) : "";
  auto outcome = dispatch(request, parsed);
  Response response = outcome ? std::move(*outcome) : to_response(outcome.error());
  std::vector<std::string> warnings{deprecation};
  std::ranges::move(response.warnings, std::back_inserter(warnings));
  std::ranges::move(registry_.take_warnings(), std::back_inserter(warnings));
  add_warning_headers(warnings, response);
  settle_definitions();
  if (parsed.form) to_form(*parsed.form, response);
  return finish(number, std::move(entry), std::move(response));
}

std::expected<void, Response> Server::check_path(const Request& request,
                                                 const Parsed& parsed) const {
  const ResourcePath& path = *parsed.path;
  const ResourceType& type = *parsed.type;
  const bool is_defined = type.defined != nullptr;
  // Of a built-in kind, the path of all namespaces exists, and other methods are a 405 there.
  const bool is_across = parsed.collection() && (request.method == "GET" || !is_defined);
  const bool is_placed = type.namespaced() ? path.in_namespace || is_across : !path.in_namespace;
  if (!is_placed) {
    return std::unexpected(is_defined ? page_not_found() : to_response(not_served()));
  }
  if (path.in_namespace && path.ns.empty() && !parsed.collection()) {
    return std::unexpected(to_response(bad_request("Namespace parameter required.")));
  }
  if (!is_defined) return {};
  if (!has_subresource(type, path.subresource)) {
    return std::unexpected(to_response(not_found(type, path.name)));
  }
  const bool creates = request.method == "POST" && !parsed.collection();
  const bool removes = request.method == "DELETE" && !path.subresource.empty();
  if ((creates && !path.subresource.empty()) || removes) {
    return std::unexpected(to_response(method_not_supported(type, parsed.verb)));
  }
  const bool is_protobuf = media_type(request.header("Content-Type")) == kProtobuf;
  if (request.method != "GET" && request.method != "DELETE" && is_protobuf) {
    return std::unexpected(
        to_response(unsupported_media_type("application/json, application/yaml")));
  }
  return {};
}

Response Server::unknown_kind(const Parsed& parsed) const {
  const bool is_group_served = !types_.versions_of(parsed.path->group).empty();
  return is_group_served ? to_response(not_served()) : page_not_found();
}

Result<Response> Server::dispatch(const Request& request, const Parsed& parsed) {
  if (!parsed.path) {
    const bool reads = request.method == "GET" || request.method == "HEAD";
    if (!reads) return page_not_found();
    const std::string_view accept = request.header("Accept");
    auto found = discover_at_once(types_, parsed.segments, accept);
    if (!found) found = discover(types_, parsed.segments, options_.version, accept);
    return found ? std::move(*found) : page_not_found();
  }
  if (const Review* review = find_review(*parsed.path)) {
    if (request.method != "POST") return std::unexpected(method_not_allowed());
    const auto body = as_json(request);
    if (!body) return std::unexpected(body.error());
    return answer_review(*review, body->content_type, body->text);
  }
  if (parsed.type == nullptr) return unknown_kind(parsed);
  if (auto fits = check_path(request, parsed); !fits) return std::move(fits.error());
  const std::string& subresource = parsed.path->subresource;
  if (needs_container(*parsed.type, subresource)) {
    const auto pod = registry_.get(parsed.target());
    if (!pod) return std::unexpected(pod.error());
    return std::unexpected(bad_request(
        "the nodes of this server are hollow: no container runs there, so there are no logs, and "
        "nothing to execute in, attach to, copy from or forward to"));
  }
  if (!has_subresource(*parsed.type, subresource)) return std::unexpected(not_served());
  if (!parsed.form) return std::unexpected(not_acceptable(kAnswerTypes));
  if (request.method == "GET" && !parsed.collection()) {
    if (auto reached = check_version_reached(store_, parsed.query); !reached) {
      return std::unexpected(std::move(reached.error()));
    }
  }
  if (request.method == "GET" && subresource == "scale") {
    return read_scale(registry_, parsed.target());
  }
  const bool shows = subresource.empty() || subresource == "status";
  if (request.method == "GET" && shows) return read(parsed);
  return write(request, parsed);
}

// The parameters of a list.
struct Server::Listing {
  std::vector<Stored> objects;
  ListText text;
  Encoding encoding;
};

Result<Server::Listing> Server::list(const Parsed& parsed) const {
  const ListTarget target = list_target(*parsed.type, parsed.path->version, parsed.path->ns);
  const auto style = style_of(*parsed.form, parsed.query);
  if (!style) return std::unexpected(style.error());
  auto page = select_page(store_, target, parsed.query);
  if (!page) return std::unexpected(page.error());
  Listing made{std::move(page->objects), {}, parsed.form->encoding};
  if (parsed.form->shape == Form::Shape::metadata) {
    made.text = partial_list_text(page->metadata, *parsed.form);
  } else if (*style) {
    made.text = table_text(target, page->metadata, **style, ColumnHeads::shown, time_.wall_now());
    made.encoding = Encoding::json;
  } else {
    made.text = list_text(target, page->metadata, made.encoding);
  }
  return made;
}

std::unique_ptr<Server::List> Server::open_list(const Request& request) {
  if (request.method != "GET" || before_ || after_) return nullptr;
  const Parsed parsed = parse(request);
  if (parsed.verb != "list" || parsed.type == nullptr || !parsed.form) return nullptr;
  if (parsed.form->as_yaml) return nullptr;
  if (!parsed.path->subresource.empty()) return nullptr;
  if (!deprecation_of(*parsed.type, parsed.path->version).empty()) return nullptr;
  if (!check_path(request, parsed)) return nullptr;
  auto listing = list(parsed);
  if (!listing) return nullptr;
  const std::size_t number = log_.add(logged(request, parsed.verb, parsed.path));
  log_.answered(number, 200);
  Response head = encoded_response(200, listing->encoding, {});
  std::string end = std::exchange(head.body, {});  // JSON ends with a newline
  ListParts parts(std::move(listing->text), std::move(listing->objects), std::move(end));
  return std::make_unique<List>(std::move(head), std::move(parts));
}

Result<Response> Server::read(const Parsed& parsed) {
  if (parsed.verb == "watch") {
    return std::unexpected(bad_request("a watch is opened with open_watch()"));
  }
  if (parsed.collection()) {
    const auto listing = list(parsed);
    if (!listing) return std::unexpected(listing.error());
    return encoded_response(200, listing->encoding, whole(listing->text, listing->objects));
  }
  const auto style = style_of(*parsed.form, parsed.query);
  if (!style) return std::unexpected(style.error());
  const Encoding encoding = parsed.form->encoding;
  Target one = parsed.target();
  one.answer = encoding;
  const auto object = registry_.read(one);
  if (!object) return std::unexpected(object.error());
  if (parsed.form->shape == Form::Shape::metadata) {
    return encoded_response(200, encoding, encode_partial(*object, *parsed.form));
  }
  if (!*style) return encoded_response(200, encoding, registry_.encode(one, *object));
  const ListTarget target = list_target(*parsed.type, one.version, one.ns);
  return json_response(
      200, encode_table(target, *object, **style, ColumnHeads::shown, time_.wall_now()));
}

Result<Response> Server::write(const Request& request, const Parsed& parsed) {
  const ResourcePath& path = *parsed.path;
  const auto body = as_json(request);
  if (!body) return std::unexpected(body.error());
  auto user = user_of(request);
  if (!user) return std::unexpected(std::move(user.error()));
  WriteRequest write{parsed.target(), parsed.query, body->content_type, body->text};
  if (parsed.form->shape == Form::Shape::object) write.target.answer = parsed.form->encoding;
  write.target.user = *std::move(user);
  write.target.options = admission_options(parsed.query);
  write.target.endpoint = endpoint_of(path.subresource);
  write.target.manager = manager_of(parsed.query, request.header("User-Agent"));
  if (parsed.query.get("dryRun") == "All") write.target.commit = Commit::dry_run;

  if (const Action action = action_of(path.subresource)) {
    if (request.method != "POST") return std::unexpected(method_not_allowed());
    return action(registry_, write);
  }
  const bool finalizes = write.target.endpoint == Endpoint::finalize;
  if (finalizes && request.method != "PUT") return std::unexpected(method_not_allowed());
  const bool is_main = path.subresource.empty();
  // Collections are written in a namespace, not in all.
  const bool is_placed = !parsed.type->namespaced() || path.in_namespace;
  const bool is_object = !parsed.collection();
  if (request.method == "POST" && is_main && is_placed && parsed.collection()) {
    return handle_create(registry_, write);
  }
  if (write.target.endpoint == Endpoint::scale && is_object) {
    return write_scale(registry_, write, request.method);
  }
  if (request.method == "PUT" && is_object) return handle_replace(registry_, write);
  if (request.method == "PATCH" && is_object) return handle_patch(registry_, write);
  if (request.method == "DELETE" && is_main && is_object) return handle_delete(registry_, write);
  if (request.method == "DELETE" && is_main && is_placed && parsed.type->deletes_collections()) {
    return delete_collection(parsed, write);
  }
  return std::unexpected(method_not_allowed());
}

Result<Response> Server::delete_collection(const Parsed& parsed, const WriteRequest& request) {
  const ListTarget target = list_target(*parsed.type, parsed.path->version, parsed.path->ns);
  auto page = select_page(store_, target, parsed.query);
  if (!page) return std::unexpected(std::move(page.error()));
  return handle_delete_collection(registry_, request, page->objects, std::move(page->metadata));
}

std::expected<std::unique_ptr<Watch>, Response> Server::open_watch(const Request& request) {
  const Parsed parsed = parse(request);
  LoggedRequest entry = logged(request, parsed.verb, parsed.path);
  const std::size_t number = log_.add(entry);
  const auto refuse = [&](Response response) {
    if (parsed.form) to_form(*parsed.form, response);
    return std::unexpected(finish(number, entry, std::move(response)));
  };
  if (before_) {
    if (auto instead = before_(entry)) return refuse(std::move(*instead));
  }
  if (parsed.type == nullptr) {
    return refuse(parsed.path ? unknown_kind(parsed) : page_not_found());
  }
  if (auto fits = check_path(request, parsed); !fits) return refuse(std::move(fits.error()));
  if (!parsed.form || parsed.form->as_yaml) {
    return refuse(to_response(not_acceptable(kWatchTypes)));
  }
  auto style = style_of(*parsed.form, parsed.query);
  if (!style) return refuse(to_response(style.error()));
  const ListTarget target = list_target(*parsed.type, parsed.path->version, parsed.path->ns);
  auto watch = Watch::open({&store_, &time_, &rng_, &options_.watches, &registry_.texts()}, target,
                           parsed.query, *parsed.form, *style);
  if (!watch) return refuse(to_response(watch.error()));
  (*watch)->set_client(std::move(entry.user_agent));
  watches_.add(**watch);
  log_.answered(number, 200);
  return std::move(*watch);
}

}  // namespace dcm::apiserver
