// An API server in memory: requests in, responses and watches out, no I/O and no threads.
//
// Everything it does is a function of the requests, the time and the randomness that it is given,
// so a test can replay it. Fronts carry it to clients: http_front.* over any byte stream, or a test
// that calls handle() itself. What it knows and does not know is in README.md.
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

// An object that has been created, and who watches which kinds.
struct Creation {
  const ResourceType& type;
  const JsonObject& object;
  const WatchIndex& watches;
};

struct ServerOptions {
  // Changes per resource that can still be watched or listed; older versions are a 410.
  std::size_t history_limit = 100'000;
  std::size_t history_bytes = 512 * 1024 * 1024;
  // Requests that the log keeps.
  std::size_t log_limit = 100'000;
  std::size_t log_bytes = 256 * 1024 * 1024;
  std::size_t body_limit = 3 * 1024 * 1024;
  Revision first_revision = 1;
  std::string version = "v1.37.2";
  ServedVersions served = {};
  WatchOptions watches = {};
  Ownership ownership = Ownership::of_all;  // books are half of what most writes cost
  // What the answer to a create warns of; null: of nothing but what a real server warns of.
  std::function<std::vector<std::string>(const Creation&)> advice = {};
};

struct WriteRequest;

class Server {
 public:
  // `time` outlives the server. Starts with the namespaces that a real one makes.
  Server(runtime::TimeSource& time, runtime::Rng rng, ServerOptions options = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Whether a request is to be answered by open_watch() instead of handle().
  static bool is_watch(const Request& request);
  Response handle(const Request& request);
  // A list in parts, for fronts that others wait for; null: handle() has the answer, as it has with
  // hooks, which see whole answers.
  struct List {
    Response head;  // its body is empty
    ListParts parts;
  };
  std::unique_ptr<List> open_list(const Request& request);
  // A watch, or the response that refuses it. The watch must go before the server does.
  std::expected<std::unique_ptr<Watch>, Response> open_watch(const Request& request);

  // Looks at each request first; what it returns is the answer, and nothing else happens.
  using Before = std::function<std::optional<Response>(const LoggedRequest&)>;
  void before(Before hook) { before_ = std::move(hook); }
  // Sees each answer last, when what it reports has happened, and may change or drop it.
  using After = std::function<void(const LoggedRequest&, Response&)>;
  void after(After hook) { after_ = std::move(hook); }

  // Sees each change of an object, within the request that makes it. Must not write.
  void on_change(Store::Listener listener) { on_change_ = std::move(listener); }

  RequestLog& log() { return log_; }
  const Store& store() const { return store_; }
  const ResourceTable& types() const { return types_; }
  std::size_t open_watches() const { return watches_.size(); }

  // Ends all watches, as a restart or a load balancer does; or those of one resource.
  void end_watches() { watches_.end_all(); }
  void end_watches(std::string_view resource) { watches_.end_all(resource); }
  // Makes all versions before the newest one a 410, or before an older one.
  void compact_history() { compact_history(store_.revision()); }
  void compact_history(Revision to) { store_.compact(to); }
  // Serves other versions from now on.
  void serve(const ServedVersions& served) { types_.serve(served); }

 private:
  struct Parsed;

  Parsed parse(const Request& request) const;
  Outcome<Response> dispatch(const Request& request, const Parsed& parsed);
  // What holds of a kind that is defined alone, or the answer.
  std::expected<void, Response> check_defined(const Request& request, const Parsed& parsed) const;
  Outcome<Response> read(const Parsed& parsed);
  struct Listing;
  Outcome<Listing> list(const Parsed& parsed) const;
  Outcome<Response> write(const Request& request, const Parsed& parsed);
  Outcome<Response> delete_collection(const Parsed& parsed, const WriteRequest& request);
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
