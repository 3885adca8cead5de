// What the demo does, step by step.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cmd/dra-playground/caches.hpp"
#include "cmd/dra-playground/demo.hpp"
#include "cmd/dra-playground/ledger.hpp"
#include "cmd/dra-playground/live_table.hpp"
#include "cmd/dra-playground/manifests.hpp"
#include "cmd/dra-playground/part.hpp"
#include "runtime/task_group.hpp"

namespace dcm::playground {

class DemoStory {
 public:
  // `rest`, and what `context` refers to, must outlive it.
  DemoStory(PartContext context, client::RestClient& rest, const DemoOptions& options);

  // Tells all of it, writes into `told` how it went, and ends `group`, which it is a task of.
  Task<> tell(Result<>& told, runtime::TaskGroup& group);
  // What happened from the first manifest to the end.
  const Ledger& ledger() const { return result_; }

 private:
  using Reached = std::function<bool()>;

  Task<Result<>> play();
  Task<Result<>> prepare();
  Task<Result<>> act();
  Task<Result<>> apply(std::string file);
  Task<Result<>> remove_all();
  // Shows the table until then. Errors: deadline_exceeded, naming `what`.
  Task<Result<>> show_until(std::string what, Reached reached);
  Result<std::vector<Manifest>> manifests_of(const std::string& file) const;
  Figures figures() const;
  Duration elapsed() const { return context_.time.now() - start_; }
  api::PodPhase phase_of(const std::string& pod) const;

  PartContext context_;
  DemoOptions options_;
  Api api_;
  Caches caches_;
  Ledger ledger_;
  Ledger result_;
  LiveTable table_;
  OnChange<Pod> on_pod_;
  OnChange<Claim> on_claim_;
  runtime::MonoTime start_;
  runtime::Deadline deadline_;
  std::size_t pods_applied_ = 0;
};

}  // namespace dcm::playground
