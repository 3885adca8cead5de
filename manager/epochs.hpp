// Runs one epoch after another, as versions of the kinds that the controllers share come and go.
//
// Asks the API server what it serves, has an epoch made for that version, runs it until the version
// is no longer served or the process stops, and starts over.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/discovery/discovery.hpp"
#include "manager/stop.hpp"
#include "runtime/log.hpp"
#include "runtime/problem.hpp"
#include "runtime/task.hpp"
#include "runtime/time.hpp"

namespace dcm::manager {

// Work that is bound to one version of some kinds.
class VersionedWork {
 public:
  virtual ~VersionedWork() = default;

  // Runs until stop() or cancellation.
  virtual runtime::Task<> run() = 0;
  // Starts nothing new; run() ends when work in progress is done. Idempotent.
  virtual void stop() = 0;

  virtual const std::string& version() const = 0;
  // Reasons why it is not ready; empty: it is.
  virtual std::vector<runtime::Problem> missing() const = 0;
  // Parts that are stuck until a restart, one line each.
  virtual std::vector<std::string> stuck() const = 0;
  // Whether a cache cannot be kept fresh: perhaps the version is no longer served.
  virtual bool has_failing_watch() const = 0;
};

class Epochs {
 public:
  using Find = std::function<runtime::Task<client::Availability>()>;
  using Make = std::function<std::unique_ptr<VersionedWork>(const client::Served&)>;

  // `find` asks for kinds of `group`. `time` and `stop` must outlive it.
  Epochs(runtime::TimeSource& time, runtime::Logger log, Stop& stop, Find find, Make make,
         std::string group = {});

  // Runs until a stop is requested and the current epoch has ended. Rethrows what an epoch throws.
  runtime::Task<> run();
  // Asks the current epoch to end. Returns false if there is none.
  bool stop_current();
  // Frees the epoch that a stop has ended. It is kept until then, because freeing the caches of a
  // large cluster takes seconds, and the lease must be released first.
  void drop_last() { last_.reset(); }
  // Why the work is not done yet.
  std::optional<runtime::Problem> why_not_ready() const;
  // Why only a restart would help, in one line.
  std::optional<std::string> why_stuck() const;

 private:
  runtime::Task<std::optional<client::Served>> find_version();
  runtime::Task<> run_epoch(std::unique_ptr<VersionedWork> epoch);
  runtime::Task<> end_when_not_served(VersionedWork& epoch);

  runtime::TimeSource& time_;
  runtime::Logger log_;
  Stop& stop_;
  Find find_;
  Make make_;
  std::string group_;
  VersionedWork* current_ = nullptr;     // null: none
  std::unique_ptr<VersionedWork> last_;  // see drop_last()
  std::optional<runtime::Problem> discovery_problem_;
  runtime::RepeatGuard discovery_guard_;
};

}  // namespace dcm::manager
