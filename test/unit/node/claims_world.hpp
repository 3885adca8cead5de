// A node's claims in memory: an API server's claims, drivers that record their state, and files.
//
// The node can be destroyed at each step of a file or driver, and restarted with what is left.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "node/claims/manager.hpp"
#include "runtime/loop.hpp"
#include "test/support/memory_files.hpp"
#include "test/support/objects.hpp"

namespace dcm::test {

inline constexpr const char* kStateFolder = "/state";
inline constexpr const char* kCheckpoint = "/state/dra_manager_state";

struct Died {
  std::string at;
};

// Counts the points at which a process can die, and ends it at one of them.
class DeathPoints {
 public:
  void die_at(std::size_t point) { at_ = point; }
  void hit(const std::string& name);
  std::size_t count() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::size_t at_ = 0;  // counted from 1; 0: never
  std::vector<std::string> names_;
};

class FakeClaims final : public node::ClaimSource {
 public:
  void put(ClaimBuilder& claim, std::map<std::string, std::string> share_ids = {});
  void put(node::ClaimView view);
  void remove(const std::string& name) { views_.erase(name); }
  runtime::Task<runtime::Result<node::ClaimView>> get(api::NamespacedName key) override;

 private:
  std::map<std::string, node::ClaimView> views_;
};

// Drivers implemented by one fake: what each holds, and its calls, outlive the node.
class FakeDrivers final : public node::DriverCalls {
 public:
  FakeDrivers(runtime::VirtualLoop& loop, DeathPoints& points, const MemoryFiles& files)
      : loop_(loop), points_(points), files_(files) {}

  bool is_registered(const std::string& driver) const override { return !missing.contains(driver); }
  runtime::Task<Answer> prepare(std::string driver, std::vector<node::ClaimRef> claims) override;
  runtime::Task<Answer> unprepare(std::string driver, std::vector<node::ClaimRef> claims) override;

  std::set<std::string> missing;
  std::map<std::string, std::vector<std::string>> refusals;  // by driver; each call consumes one
  std::map<std::string, node::ClaimAnswer> answers;          // by driver; by default, one device
  std::map<std::string, runtime::Duration> works_for;
  std::vector<std::string> journal;             // "gpu.example.com prepare c1-uid"
  std::set<std::string> prepared;               // "gpu.example.com c1-uid"
  std::vector<std::string> without_checkpoint;  // prepared before they were in the file

 private:
  using Refusal = std::optional<std::string>;
  runtime::Task<> work(const std::string& driver);
  Refusal refuse(const std::string& driver);
  void note(const std::string& driver, const char* what, const std::vector<node::ClaimRef>& claims);

  runtime::VirtualLoop& loop_;
  DeathPoints& points_;
  const MemoryFiles& files_;
};

class ClaimsWorld {
 public:
  explicit ClaimsWorld(runtime::VirtualLoop& loop);

  // Starts a node from what is on disk. Errors are those of open().
  runtime::Result<> start();
  void kill() { manager.reset(); }

  DeathPoints points;
  MemoryFiles files;
  FakeClaims claims;
  FakeDrivers drivers;
  std::size_t renames = 0;  // renames of files: as many as writes of the checkpoint
  bool is_disk_full = false;
  node::UnknownClaims unknown = node::UnknownClaims::leave;
  std::string log;
  std::unique_ptr<node::ClaimManager> manager;

 private:
  runtime::VirtualLoop& loop_;
  std::shared_ptr<runtime::LogBackend> log_;
  std::unique_ptr<node::CheckpointStore> store_;
  std::uint64_t starts_ = 0;
};

}  // namespace dcm::test
