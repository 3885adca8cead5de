// Runs one session after the other, as versions of resource.k8s.io come and go.
//
// Asks the API server what it serves, has a session made for that version, runs it until the
// version is not served any more or the process stops, and starts over.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/discovery/discovery.hpp"
#include "manager/stop.hpp"
#include "runtime/log.hpp"
#include "runtime/task.hpp"
#include "runtime/time.hpp"

namespace dcm::manager {

class ExplanationSource;

// Work that is bound to one version of resource.k8s.io.
class VersionedWork {
 public:
  virtual ~VersionedWork() = default;

  // Until stop() or cancellation.
  virtual runtime::Task<> run() = 0;
  // Starts nothing new; run() ends when work in progress is done. Idempotent.
  virtual void stop() = 0;

  virtual const std::string& version() const = 0;
  // Reasons why it is not ready, one line each; empty: it is ready.
  virtual std::vector<std::string> missing() const = 0;
  // Parts that are stuck until a restart, one line each.
  virtual std::vector<std::string> stuck() const = 0;
  // Whether a cache cannot be kept fresh: perhaps the version is no longer served.
  virtual bool has_failing_watch() const = 0;
  // Explains the objects of the session; null: it cannot.
  virtual const ExplanationSource* explanations() const { return nullptr; }
};

class Sessions {
 public:
  using Find = std::function<runtime::Task<client::Availability>()>;
  using Make = std::function<std::unique_ptr<VersionedWork>(const client::Served&)>;

  // `time` and `stop` must outlive it.
  Sessions(runtime::Executor executor, runtime::TimeSource& time, runtime::Logger log, Stop& stop,
           Find find, Make make);

  // Until the stop is requested and the current session has ended. Throws what a session throws.
  runtime::Task<> run();
  // Asks the current session to end. nullopt: there is none to wait for.
  bool stop_current();
  // Why the work is not done yet, in one line.
  std::optional<std::string> why_not_ready() const;
  // Why only a restart would help, in one line.
  std::optional<std::string> why_stuck() const;
  // The explanations of the current session; null if none.
  const ExplanationSource* explanations() const {
    return current_ == nullptr ? nullptr : current_->explanations();
  }

 private:
  runtime::Task<std::optional<client::Served>> find_version();
  runtime::Task<> run_session(std::unique_ptr<VersionedWork> session);
  runtime::Task<> end_when_not_served(VersionedWork& session);

  runtime::Executor executor_;
  runtime::TimeSource& time_;
  runtime::Logger log_;
  Stop& stop_;
  Find find_;
  Make make_;
  VersionedWork* current_ = nullptr;  // null: none
  std::string discovery_problem_;
  runtime::RepeatGuard discovery_guard_;
};

}  // namespace dcm::manager
