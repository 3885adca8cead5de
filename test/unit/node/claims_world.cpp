#include "test/unit/node/claims_world.hpp"

#include <utility>

#include "runtime/assert.hpp"
#include "runtime/dns_names.hpp"

namespace dcm::test {

using node::ClaimAnswer;
using node::ClaimRef;
using runtime::Result;
using runtime::Task;

void DeathPoints::hit(const std::string& name) {
  names_.push_back(name);
  if (names_.size() == at_) throw Died{name};
}

void FakeClaims::put(ClaimBuilder& claim, std::map<std::string, std::string> share_ids) {
  node::ClaimView view{.claim = claim.get(), .results = {}};
  for (const api::AllocatedDevice& device : view.claim->devices) {
    const std::string name = device.id.device.str();
    view.results.push_back(
        {.device = {device.id.driver.str(), device.id.pool.str(), name, share_ids[name]}});
  }
  put(std::move(view));
}

void FakeClaims::put(node::ClaimView view) {
  const std::string name = view.claim->meta.key.name.str();
  views_[name] = std::move(view);
}

Task<Result<node::ClaimView>> FakeClaims::get(api::NamespacedName key) {
  // A path of the API.
  DCM_ASSERT(runtime::can_be_name(key.namespace_) && runtime::can_be_name(key.name));
  co_await runtime::yield();
  const auto found = views_.find(key.name.str());
  if (found == views_.end()) {
    co_return runtime::fail(runtime::Reason::object_not_found,
                            "resourceclaims.resource.k8s.io \"" + key.name.str() + "\" not found");
  }
  co_return found->second;
}

void FakeDrivers::note(const std::string& driver, const char* what,
                       const std::vector<ClaimRef>& claims) {
  std::string line = driver + ' ' + what;
  for (const ClaimRef& claim : claims) line += ' ' + claim.uid;
  journal.push_back(std::move(line));
}

Task<> FakeDrivers::work(const std::string& driver) {
  const auto found = works_for.find(driver);
  co_await runtime::sleep_for(loop_.time(),
                              found == works_for.end() ? runtime::Duration() : found->second);
}

FakeDrivers::Refusal FakeDrivers::refuse(const std::string& driver) {
  std::vector<std::string>& left = refusals[driver];
  if (left.empty()) return std::nullopt;
  std::string refusal = left.front();
  left.erase(left.begin());
  return refusal;
}

Task<FakeDrivers::Answer> FakeDrivers::prepare(std::string driver, std::vector<ClaimRef> claims) {
  points_.hit("send prepare to " + driver);
  note(driver, "prepare", claims);
  for (const ClaimRef& claim : claims) {
    const std::string file = files_.content_of(kCheckpoint);
    if (!file.contains(claim.uid)) without_checkpoint.push_back(driver + ' ' + claim.uid);
  }
  co_await work(driver);
  if (Refusal refusal = refuse(driver)) co_return std::unexpected(*refusal);
  node::Answers result;
  for (const ClaimRef& claim : claims) {
    prepared.insert(driver + ' ' + claim.uid);
    const std::string id = driver + "/gpu=" + claim.uid;
    const auto knob = answers.find(driver);
    result[claim.uid] =
        knob != answers.end()
            ? knob->second
            : ClaimAnswer{
                  .devices = {{.pool = "node-0", .device = claim.name + "-dev", .cdi_ids = {id}}}};
  }
  points_.hit("answer prepare of " + driver);
  co_return result;
}

Task<FakeDrivers::Answer> FakeDrivers::unprepare(std::string driver, std::vector<ClaimRef> claims) {
  points_.hit("send unprepare to " + driver);
  note(driver, "unprepare", claims);
  co_await work(driver);
  if (Refusal refusal = refuse(driver)) co_return std::unexpected(*refusal);
  node::Answers result;
  for (const ClaimRef& claim : claims) {
    prepared.erase(driver + ' ' + claim.uid);
    result[claim.uid] = {};
  }
  points_.hit("answer unprepare of " + driver);
  co_return result;
}

ClaimsWorld::ClaimsWorld(runtime::VirtualLoop& loop)
    : drivers(loop, points, files),
      loop_(loop),
      log_(std::make_shared<runtime::LogBackend>(
          loop.time(), runtime::LogFormat::text,
          [this](runtime::Severity, std::string_view line) { log.append(line); })) {
  files.set_step([this](std::string_view operation, const std::string& path) -> Result<> {
    points.hit(std::string(operation) + ' ' + path.substr(0, path.find('-')));
    if (operation == "rename") ++renames;
    if (operation != "create" || !is_disk_full) return {};
    return runtime::fail(runtime::Reason::configuration, "No space left on device");
  });
}

Result<> ClaimsWorld::start() {
  store_ = std::make_unique<node::CheckpointStore>(files, kStateFolder, runtime::Rng(++starts_));
  manager =
      std::make_unique<node::ClaimManager>(loop_, claims, drivers, *store_, runtime::Logger(log_),
                                           node::ClaimManagerOptions{.unknown = unknown});
  return manager->open();
}

}  // namespace dcm::test
