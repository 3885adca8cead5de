// An API server in memory: requests in, responses and watches out, no I/O and no threads.
//
// Everything it does is a function of the requests, time and randomness, so a test can replay it.
// Fronts connect it to clients: http_front.* over any byte stream, or a test that calls handle()
// itself. README.md says what it supports.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "apiserver/definitions/definitions.hpp"
#include "apiserver/front/request_log.hpp"
#include "apiserver/reads/list_text.hpp"
#include "apiserver/reads/watch_index.hpp"
#include "apiserver/registry/registry.hpp"
#include "apiserver/requests/request.hpp"
#include "runtime/rng.hpp"
#include "runtime/time.hpp"

namespace dcm::apiserver {

// A created or updated object, and the open watches.
struct ObjectWrite {
  const ResourceType& type;
  const JsonObject& object;
  const JsonObject* before;  // the object before an update; null: it is created
  const WatchIndex& watches;
};

// The answer to a body of more than 3 MiB.
ApiError body_too_large();

struct ServerOptions {
  // Changes per resource that can still be watched or listed; older versions get a 410.
  std::size_t history_limit = 100'000;
  std::size_t history_bytes = 512 * 1024 * 1024;
  // Number of requests in the log.
  std::size_t log_limit = 100'000;
  std::size_t log_bytes = 256 * 1024 * 1024;
  Revision first_revision = 1;
  std::string version = "v1.37.2";
  ServedVersions served = {};
  WatchServing watches = {};
  Ownership ownership = Ownership::of_all;  // managed fields are half the cost of most writes
  // Warnings in the answer to a create or update; null: only those of a real server.
  std::function<std::vector<std::string>(const ObjectWrite&)> advice = {};
};

struct WriteRequest;

class Server {
 public:
  // `time` must outlive the server. Starts with the namespaces of a real server.
  Server(runtime::TimeSource& time, runtime::Rng rng, ServerOptions options = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Whether a request must be answered by open_watch() instead of handle().
  static bool is_watch(const Request& request);
  Response handle(const Request& request);
  // A list in parts, so that a front can serve others meanwhile; null: use handle(), which is also
  // required for hooks, as they see whole answers.
  struct List {
    Response head;  // its body is empty
    ListParts parts;
  };
  std::unique_ptr<List> open_list(const Request& request);
  // A watch, or the response that refuses it. The watch must be destroyed before the server.
  std::expected<std::unique_ptr<Watch>, Response> open_watch(const Request& request);

  // Sees each request first; if it returns an answer, nothing else happens.
  using Before = std::function<std::optional<Response>(const LoggedRequest&)>;
  void before(Before hook) { before_ = std::move(hook); }
  // Sees each answer last, after its effect, and may change or drop it.
  using After = std::function<void(const LoggedRequest&, Response&)>;
  void after(After hook) { after_ = std::move(hook); }

  // Sees each change of an object, within the request that causes it. Must not write.
  void on_change(Store::Listener listener) { on_change_ = std::move(listener); }

  RequestLog& log() { return log_; }
  const Store& store() const { return store_; }
  const ResourceTable& types() const { return types_; }
  std::size_t open_watches() const { return watches_.size(); }

  // Ends all watches, like a restart or a load balancer; or those of one resource.
  void end_watches() { watches_.end_all(); }
  void end_watches(std::string_view resource) { watches_.end_all(resource); }
  // Makes all versions before the newest one (or a given one) a 410.
  void compact_history() { compact_history(store_.revision()); }
  void compact_history(Revision to) { store_.compact(to); }
  // Stores an object as a restored backup has it, with its UID and status: without defaults,
  // validation and managed fields. `object` has a name, and no object of that name exists.
  void restore(std::string_view resource, JsonObject object);
  // Goes back to an earlier state, as with a restored etcd, and ends all watches. `revision`: where
  // revisions continue; the snapshot's own one, or, with `etcdctl snapshot restore --bump-revision
  // --mark-compacted`, a later one than any that clients know. Custom kinds must be the same then.
  void restore(const Store::Snapshot& snapshot, Revision revision) {
    end_watches();
    store_.restore(snapshot, revision);
  }
  // Serves other versions from now on.
  void serve(const ServedVersions& served) { types_.serve(served); }

 private:
  struct Parsed;

  Parsed parse(const Request& request) const;
  Response unknown_kind(const Parsed& parsed) const;
  Result<Response> dispatch(const Request& request, const Parsed& parsed);
  // Whether the kind has the path, and what only defined kinds check; returns the answer if not.
  std::expected<void, Response> check_path(const Request& request, const Parsed& parsed) const;
  Result<Response> read(const Parsed& parsed);
  struct Listing;
  Result<Listing> list(const Parsed& parsed) const;
  Result<Response> write(const Request& request, const Parsed& parsed);
  Result<Response> delete_collection(const Parsed& parsed, const WriteRequest& request);
  Response finish(std::size_t number, LoggedRequest logged, Response response);
  void make_own(std::string_view resource, JsonObject object);
  void settle_definitions();

  runtime::TimeSource& time_;
  runtime::Rng rng_;
  ServerOptions options_;
  ResourceTable types_;
  Store store_;
  Registry registry_;
  Definitions definitions_;
  RequestLog log_;
  WatchIndex watches_;
  Before before_;
  After after_;
  Store::Listener on_change_;
};

}  // namespace dcm::apiserver
