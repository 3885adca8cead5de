// Controllers with their caches, for one version of the kinds that they share.
//
// A cluster that is upgraded may stop serving the version that discovery chose: the epoch ends
// then, and another one is made (epochs.hpp). Nothing in here outlives it.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/discovery/discovery.hpp"
#include "manager/controller.hpp"
#include "manager/elected.hpp"
#include "manager/epochs.hpp"
#include "manager/late_kind.hpp"
#include "manager/process.hpp"
#include "manager/running_controllers.hpp"
#include "runtime/condition.hpp"
#include "runtime/task_group.hpp"

namespace dcm::manager {

// The dependencies of epochs. All references must outlive them.
struct EpochContext {
  std::string program;
  Process process;
  client::RestClient& rest;
  Elected& elected;
};

class Epoch final : public VersionedWork {
 public:
  Epoch(EpochContext context, client::Served served);
  ~Epoch() override;

  // The functions below fill the epoch, before run().

  // A cache of the epoch's own.
  template <class T>
  Cache<T>& make_cache(api::Resource resource, std::unique_ptr<api::Decoder<T>> decoder,
                       CacheOptions<T> options = {}) {
    auto made = std::make_shared<Cache<T>>(context_.rest, std::move(resource), std::move(decoder),
                                           context_.process, std::move(options));
    add_cache(any_cache(*keep(made)));
    return *made;
  }
  void add_cache(AnyCache cache) { caches_.push_back({std::move(cache)}); }
  // A cache of the best served version of `kind`: run() waits until there is one, and calls
  // `use_version` again with another if that is no longer served.
  void add_cache(AnyCache cache, const api::ResourceKind& kind,
                 std::function<void(const std::string& version)> use_version) {
    caches_.push_back({std::move(cache), &kind, std::move(use_version)});
  }
  void add(Controller controller);
  // `notify` is called when the first controller begins to work.
  void on_working(std::function<void()> notify) { on_working_ = std::move(notify); }
  // `part` lives as long as the epoch, and ends before what was kept earlier.
  template <class Part>
  const std::shared_ptr<Part>& keep(const std::shared_ptr<Part>& part) {
    kept_.push_back(part);
    return part;
  }

  const EpochContext& context() const { return context_; }
  const client::Served& served() const { return served_; }

  // Fills the caches, waits until it is elected, then works.
  runtime::Task<> run() override;
  void stop() override;

  const std::string& version() const override { return served_.version; }
  std::vector<runtime::Problem> missing() const override;
  std::vector<std::string> stuck() const override;
  bool has_failing_watch() const override;

  // A kind that is not known completely, by its plural.
  struct Gap {
    std::string_view resource;
    runtime::Problem why;
  };
  std::vector<Gap> gaps() const;

 private:
  struct Source {
    AnyCache cache;
    // Null: its version is known.
    const api::ResourceKind* kind = nullptr;
    std::function<void(const std::string& version)> use_version = {};
    std::optional<runtime::Problem> why_not_served = {};
    bool is_running = false;
  };
  // A controller from its preparation on. It does not wait for caches that only others need.
  struct Member {
    Member(Controller its_controller, runtime::Executor executor)
        : controller(std::move(its_controller)), cancelled_by_stop(std::move(executor)) {}

    Controller controller;
    std::optional<LateKind> late_kind = std::nullopt;
    bool is_working = false;
    runtime::TaskGroup cancelled_by_stop;
  };

  void report(const Member& member, Running running);
  void run_cache(Source& source);
  runtime::Task<> follow_versions(Source& source);
  runtime::Task<> run_controllers();
  runtime::Task<> run_controller(Member& member);
  runtime::Task<> prepare(Member& member);
  runtime::Task<> work(Member& member);
  void expect(Member& member, OptionalKind kind);
  runtime::Task<> retry_when_synced(informers::SyncState& cache);
  void retry_now();
  std::vector<informers::SyncState*> running_caches() const;

  EpochContext context_;
  client::Served served_;
  client::Discovery discovery_;
  std::vector<std::shared_ptr<void>> kept_;
  std::list<Source> caches_;
  std::list<Member> members_;
  std::function<void()> on_working_;
  bool is_stopping_ = false;
  runtime::Condition stopping_;
  runtime::TaskGroup tasks_;
};

// Runs an epoch that needs no lease, for a program without versions or an election. Ends by
// cancellation only.
runtime::Task<> run_epoch(std::string program, Process process, client::RestClient& rest,
                          std::function<void(Epoch&)> fill);

}  // namespace dcm::manager
