// Access to the secured port: authentication and authorization delegated to the API server, as in
// Kubernetes control plane components.
//
// A caller is identified by a client certificate verified in the handshake, or by a bearer token
// accepted by a TokenReview; a SubjectAccessReview then decides whether it may use that method on
// that path. A page about one object is also open to callers who may get that object. Answers are
// cached briefly, so that frequent scrapes cost the API server next to nothing, and a revoked
// permission ends soon.
#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "client/request/access_review.hpp"
#include "client/request/admission.hpp"
#include "manager/pages.hpp"
#include "runtime/http/message.hpp"
#include "runtime/log.hpp"
#include "runtime/lru_map.hpp"
#include "runtime/time.hpp"

namespace dcm::manager {

struct DoorkeeperOptions {
  // Public paths, as for kube-controller-manager: a trailing "*" stands for any rest, and the slash
  // at the beginning may be missing. why_no_open_path() says nothing about any of them.
  std::vector<std::string> always_allow_paths = {"/healthz", "/livez", "/readyz"};
  // The object that a path names; nullopt: none that grants access.
  std::function<std::optional<api::ResourceAttributes>(std::string_view path)> object_of = {};
  runtime::Duration remembered = std::chrono::seconds(10);
  std::size_t remembered_max = 1024;  // tokens, and the same number of access decisions
  runtime::Duration review_timeout = std::chrono::seconds(10);
  // A separate budget: a flood of tokens on the port must not delay the controllers. At this rate
  // every caller on a full port is reviewed within `review_timeout`.
  client::AdmissionLimits reviews = {.qps = 20, .burst = 40, .inflight_max = 5};
  // Callers waiting for a review: above this, those with a token that was never accepted are
  // rejected at once.
  std::size_t strangers_max = 64;
};

// Why a text cannot be one of `always_allow_paths`; empty if it can.
std::string why_no_open_path(const std::string& path);

// How much the caller may see, or the answer to send: 401 for an unknown caller, 403 without
// permission, 503 while the API server cannot be asked.
using Admitted = std::expected<Audience, http::Response>;

// All references must outlive it and its calls. Loop thread only; any number of calls at a time.
class Doorkeeper {
 public:
  Doorkeeper(client::RestClient& rest, runtime::TimeSource& time, DoorkeeperOptions options,
             runtime::Logger log);

  runtime::Task<Admitted> admit(const http::Request& request);

 private:
  // Caches answers until they expire.
  template <class Value>
  class Memory {
   public:
    Memory(runtime::TimeSource& time, const DoorkeeperOptions& options)
        : time_(time), options_(options) {}
    const Value* recall(const std::string& key);
    void remember(const std::string& key, Value value);

   private:
    struct Entry {
      Value value;
      runtime::MonoTime until;
    };
    runtime::TimeSource& time_;
    const DoorkeeperOptions& options_;
    runtime::LruMap<Entry> entries_;
  };
  using Permit = client::Admission::Permit;
  using Who = std::optional<api::UserInfo>;  // nullopt: nobody known here

  bool is_open(std::string_view path) const;
  runtime::Task<runtime::Result<Who>> identify(const http::Request& request);
  runtime::Task<runtime::Result<Who>> identify_by_token(std::string token);
  runtime::Task<runtime::Result<client::Access>> authorize(api::UserInfo user,
                                                           api::AccessAttributes what);
  runtime::Task<runtime::Result<Permit>> await_turn(client::PriorityLevel priority,
                                                    runtime::Deadline deadline);
  void note_regular(const std::string& key);
  http::Response unavailable(const runtime::Error& error);

  client::RestClient& rest_;
  runtime::TimeSource& time_;
  DoorkeeperOptions options_;
  runtime::Logger log_;
  client::Admission budget_;
  Memory<Who> users_;  // by digest of the token: callers' tokens are not kept
  Memory<client::Access> verdicts_;
  // Digests of tokens that were accepted once: these callers go first, so that a flood of unknown
  // tokens does not block a scraper.
  runtime::LruMap<std::monostate> regulars_;
  runtime::RepeatGuard failure_guard_;
};

}  // namespace dcm::manager
