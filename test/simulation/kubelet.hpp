// A node: the code of node/ prepares and unprepares the claims of its pods, with a driver that
// occasionally fails, and restarts from what a crash has left on its disk.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "controllers/api/decoders.hpp"
#include "node/claims/manager.hpp"
#include "runtime/condition.hpp"
#include "runtime/task_group.hpp"
#include "test/simulation/actor.hpp"
#include "test/simulation/safety.hpp"
#include "test/support/memory_files.hpp"

namespace dcm::simulation {

// Outlives the node's process, and finishes what it has begun: one call after the other.
class NodeDriver final : public node::DriverCalls {
 public:
  enum class Trouble { none, refuses, loses_answers, hangs, is_gone, answers_hugely };

  NodeDriver(runtime::TimeSource& time, runtime::Rng rng) : time_(time), rng_(rng), called_(time) {}

  bool is_registered(const std::string& /*driver*/) const override {
    return trouble != Trouble::is_gone;
  }
  runtime::Task<Answer> prepare(std::string driver, std::vector<node::ClaimRef> claims) override;
  runtime::Task<Answer> unprepare(std::string driver, std::vector<node::ClaimRef> claims) override;
  // Ends only by cancellation.
  runtime::Task<> run();

  const std::set<std::string>& prepared() const { return prepared_; }  // UIDs of claims
  // Like a driver that stores nothing on disk.
  void forget() { prepared_.clear(); }

  Trouble trouble = Trouble::none;

 private:
  struct Call {
    Call(std::vector<node::ClaimRef> which, bool prepares, runtime::TimeSource& time)
        : claims(std::move(which)), is_prepare(prepares), answered(time) {}

    std::vector<node::ClaimRef> claims;
    bool is_prepare;
    runtime::Condition answered;
    std::optional<Answer> answer = {};
  };

  runtime::Task<Answer> call(std::vector<node::ClaimRef> claims, bool is_prepare);
  Answer carry_out(const Call& call);
  Answer answer_hugely(const std::vector<node::ClaimRef>& claims);
  runtime::Duration draw_work();

  runtime::TimeSource& time_;
  runtime::Rng rng_;
  std::list<std::shared_ptr<Call>> calls_;
  runtime::Condition called_;
  std::set<std::string> prepared_;
};

class Kubelet final : Actor, node::ClaimSource {
 public:
  // The probability of faults per second.
  struct Likelihood {
    double trouble = 0;  // of the driver, for up to a minute and a half
    double crash = 0;
    double finish = 0;  // of a pod
  };

  Kubelet(ActorContext context, runtime::Rng rng, std::string name, common::GroupClaims groups,
          Likelihood likelihood);

  // Looks at the pods every second or two, until stop().
  runtime::Task<> look();
  runtime::Task<> stop();
  // Checks what holds at any time, and what must hold soon if nothing interferes.
  std::optional<Breach> check();

 private:
  std::optional<Breach> check_bounds() const;

  enum class Failure { process, machine_loses_names, machine_keeps_names };

  runtime::Task<runtime::Result<node::ClaimView>> get(api::NamespacedName key) override;
  bool may_read(const api::NamespacedName& key);

  void start();
  runtime::Task<> crash(Failure failure);
  void draw_trouble();
  void look_at(const Pod& pod);
  void tell_who_is_active();
  runtime::Task<> unprepare_orphans();
  runtime::Task<> start_pod(Pod pod);
  void note(const Pod& pod, const node::ClaimResult& outcome);
  runtime::Task<> end_pod(Pod pod);
  api::ObjectPtr<api::Pod> read(const Pod& pod) const;
  bool may_start(const Pod& pod) const;
  bool is_in_the_way(const node::Held& held, const Claim& claim) const;
  std::set<std::string> overdue() const;
  bool is_active(const std::string& pod_uid) const;
  runtime::MonoTime now() const { return context_.loop.time().now(); }

  std::string name_;
  common::GroupClaims groups_;
  Likelihood likelihood_;
  test::MemoryFiles files_;
  NodeDriver driver_;
  std::unique_ptr<api::Decoder<api::Pod>> pod_decoder_;
  std::unique_ptr<api::Decoder<api::ResourceClaim>> claim_decoder_;
  std::map<std::string, runtime::MonoTime> dying_;  // pods, by UID: when they have stopped
  std::set<std::string> finishing_;                 // pods, by UID
  std::set<std::string> started_;                   // the same: whose containers run
  std::map<std::string, runtime::MonoTime> overdue_since_;
  runtime::MonoTime trouble_until_{};
  std::optional<Breach> breach_;
  // The state of the current process.
  bool is_dead_ = false;
  std::set<std::string> busy_;  // pods with an operation, by UID
  bool looks_for_orphans_ = false;
  std::optional<node::CheckpointStore> store_;
  std::optional<node::ClaimManager> claims_;
  runtime::TaskGroup driver_task_;
  std::optional<runtime::TaskGroup> tasks_;
};

}  // namespace dcm::simulation
