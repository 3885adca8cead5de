// Tools shared by the demo's acts: a namespace, a view of the cluster, a ledger, the table, and
// waiting for a condition while the table is shown.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "controllers/api/device_taint_rule.hpp"
#include "playground/cluster/evictions.hpp"
#include "playground/demo/demo.hpp"
#include "playground/demo/ledger.hpp"
#include "playground/demo/live_table.hpp"
#include "playground/demo/manifests.hpp"
#include "playground/objects/caches.hpp"
#include "playground/part.hpp"
#include "runtime/deadline.hpp"

namespace dcm::playground {

class DemoStage {
 public:
  using Reached = std::function<bool()>;

  // `rest`, and what `process` refers to, must outlive it.
  DemoStage(Process process, client::RestClient& rest, const DemoOptions& options);

  // Updates the view. Ends only by cancellation.
  Task<> run();
  // Prepares the namespace, and a complete view of it.
  Task<Result<>> prepare();
  // Starts the clock and the ledger.
  void begin();
  // Closes the ledger: later changes do not count.
  void conclude() { concluded_ = ledger_; }

  // Creates the objects of the file, and reports them.
  Task<Result<>> apply(std::string file);
  // Deletes everything in the file, if it exists. Claims of pods are deleted with their pods.
  Task<Result<>> remove_all_of(std::string file);
  Task<Result<>> remove_pod(std::string name);
  // Shows the table until `reached` is true. Errors: deadline_exceeded, naming `what`.
  Task<Result<>> show_until(std::string what, Reached reached);
  void say(const std::string& line) { table_.say(line, process_.loop.time().now() - start_); }
  // Counts the events of the namespace with that reason.
  Task<Result<std::size_t>> count_events(std::string reason);
  // Records an unexpected fact.
  void blame(std::string mistake) { mistakes_.push_back(std::move(mistake)); }

  Api& api() { return api_; }
  // The changes from begin() to conclude().
  const Ledger& ledger() const { return concluded_ ? *concluded_ : ledger_; }
  const Evictions& evictions() const { return evictions_; }
  // Whether all applied pods have ended, and all devices are free.
  bool is_over() const { return ledger_.tally().pods_seen == pods_applied_ && ledger_.is_over(); }
  std::vector<std::string> mistakes() const;
  api::PodPhase phase_of(const std::string& pod) const;
  // The first device of the pod's claims; nullopt: none yet.
  std::optional<api::DeviceId> device_of(const std::string& pod) const;
  // Null if there is no such rule.
  api::ObjectPtr<api::DeviceTaintRule> rule(const std::string& name) const;

 private:
  Result<std::vector<Manifest>> manifests_of(const std::string& file) const;
  Task<Result<>> remove(Manifest manifest);
  void report_condition(const api::ObjectPtr<api::DeviceTaintRule>& before,
                        const api::ObjectPtr<api::DeviceTaintRule>& after);
  Figures figures() const;

  Process process_;
  DemoOptions options_;
  Api api_;
  client::RestClient& rest_;
  Caches caches_;
  Cache<api::DeviceTaintRule> rules_;
  Ledger ledger_;
  std::optional<Ledger> concluded_;
  Evictions evictions_;
  std::vector<std::string> mistakes_;
  LiveTable table_;
  OnChange<Pod> on_pod_;
  OnChange<Claim> on_claim_;
  OnChange<api::DeviceTaintRule> on_rule_;
  runtime::MonoTime start_;
  runtime::Deadline deadline_;
  std::size_t pods_applied_ = 0;
};

}  // namespace dcm::playground
