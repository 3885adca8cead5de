#include "playground/demo/demo_stage.hpp"

#include <algorithm>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "controllers/api/decoders.hpp"
#include "controllers/api/resources.hpp"
#include "controllers/common/explanation.hpp"
#include "controllers/common/pod_claims.hpp"
#include "playground/objects/bodies.hpp"
#include "runtime/json.hpp"
#include "runtime/task_group.hpp"

namespace dcm::playground {
namespace {

using namespace std::chrono_literals;
using runtime::Reason;

constexpr const char* kNamespace = "demo";
constexpr Duration kFrame = 250ms;

// The table is what the demo shows; a log would break it.
Process silent(Process process) {
  process.log = {};
  return process;
}

// Returns a resource without a kind if the demo does not know it.
api::Resource resource_of(const std::string& kind) {
  if (kind == "Pod") return pods();
  if (kind == "ResourceClaim") return claims();
  if (kind == "ResourceClaimTemplate") return {&api::kResourceClaimTemplates, "v1"};
  if (kind == "DeviceTaintRule") return taint_rules();
  return {};
}

api::NamespacedName key_of(const api::Resource& resource, const std::string& name) {
  return {resource.kind->scope == api::Scope::cluster ? "" : kNamespace, name};
}

}  // namespace

DemoStage::DemoStage(Process process, client::RestClient& rest, const DemoOptions& options)
    : process_(std::move(process)),
      options_(options),
      api_(rest),
      rest_(rest),
      caches_(rest, silent(process_)),
      rules_(rest, taint_rules(), api::make_json_rule_decoder(), silent(process_)),
      ledger_(kNamespace),
      evictions_(kNamespace),
      table_(stdout, LiveTable::output_of(stdout)),
      on_pod_([this](const auto& before, const auto& after) {
        ledger_.observe_pod(before, after);
        evictions_.observe_pod(before, after, process_.loop.time().wall_now());
      }),
      on_claim_(
          [this](const auto& before, const auto& after) { ledger_.observe_claim(before, after); }),
      on_rule_([this](const auto& before, const auto& after) { report_condition(before, after); }),
      start_(process_.loop.time().now()),
      deadline_(runtime::Deadline::after(process_.loop.time(), options.time_limit)) {
  caches_.pods.informer().add_observer(on_pod_);
  caches_.claims.informer().add_observer(on_claim_);
  rules_.informer().add_observer(on_rule_);
}

Task<> DemoStage::run() {
  return manager::run_epoch(std::string(kProgram), silent(process_), rest_,
                            [this](manager::Epoch& epoch) {
                              caches_.add_to(epoch);
                              epoch.add_cache(manager::any_cache(rules_));
                            });
}

Task<Result<>> DemoStage::prepare() {
  const Result<http::Response> made =
      co_await api_.apply(namespaces(), {{}, kNamespace}, {}, encode_namespace(kNamespace));
  if (!made) co_return runtime::fail(made.error());
  co_await informers::wait_for_sync(caches_.awaited());
  co_await informers::wait_for_sync({&rules_.sync()});
  co_return Result<>();
}

void DemoStage::begin() {
  ledger_ = Ledger(kNamespace);
  evictions_ = Evictions(kNamespace);
  start_ = process_.loop.time().now();
}

Task<Result<>> DemoStage::apply(std::string file) {
  const auto manifests = manifests_of(file);
  if (!manifests) co_return runtime::fail(manifests.error());
  say(fmt::format("applying {}: {}", file, common::count(manifests->size(), "object")));
  for (const Manifest& manifest : *manifests) {
    const api::Resource resource = resource_of(manifest.kind);
    const Result<http::Response> applied =
        co_await api_.apply(resource, key_of(resource, manifest.name), {}, manifest.json);
    if (!applied) co_return runtime::fail(applied.error());
    if (manifest.kind == "Pod") ++pods_applied_;
  }
  co_return Result<>();
}

Task<Result<>> DemoStage::remove_all_of(std::string file) {
  const auto manifests = manifests_of(file);
  if (!manifests) co_return runtime::fail(manifests.error());
  for (const Manifest& manifest : *manifests) {
    Result<> removed = co_await remove(manifest);
    if (!removed) co_return removed;
  }
  co_return Result<>();
}

Task<Result<>> DemoStage::remove_pod(std::string name) {
  return remove({.kind = "Pod", .name = std::move(name), .json = {}});
}

Task<Result<>> DemoStage::remove(Manifest manifest) {
  const api::Resource resource = resource_of(manifest.kind);
  const Result<http::Response> removed =
      co_await api_.remove(resource, key_of(resource, manifest.name), {});
  if (!removed && !runtime::is_not_found(removed.error())) co_return runtime::fail(removed.error());
  co_return Result<>();
}

Task<Result<>> DemoStage::show_until(std::string what, Reached reached) {
  while (true) {
    table_.show(figures(), process_.loop.time().now() - start_);
    if (reached()) co_return Result<>();
    if (deadline_.has_passed(process_.loop.time())) {
      co_return runtime::fail(Reason::deadline_exceeded, "timed out waiting for: " + what);
    }
    co_await runtime::sleep_for(process_.loop.time(), kFrame);
  }
}

Task<Result<std::size_t>> DemoStage::count_events(std::string reason) {
  std::size_t count = 0;
  std::string next;
  do {
    const Result<http::Response> page =
        co_await api_.list({&api::kEvents, "v1"}, next, std::string(kNamespace));
    if (!page) co_return runtime::fail(page.error());
    const auto list = runtime::parse_json(page->body);
    if (!list) co_return runtime::fail(list.error());
    count += static_cast<std::size_t>(std::ranges::count_if(
        runtime::array_at(*list, "/items"),
        [&](const auto& event) { return runtime::text_at(event, "/reason") == reason; }));
    next = runtime::text_at(*list, "/metadata/continue");
  } while (!next.empty());
  co_return count;
}

Result<std::vector<Manifest>> DemoStage::manifests_of(const std::string& file) const {
  auto manifests = read_manifests(options_.manifests + "/" + file);
  if (!manifests) return manifests;
  for (const Manifest& manifest : *manifests) {
    if (resource_of(manifest.kind).kind == nullptr) {
      return runtime::fail(
          Reason::configuration,
          fmt::format("{}: the demo does not support kind {}", file, manifest.kind));
    }
  }
  return manifests;
}

void DemoStage::report_condition(const api::ObjectPtr<api::DeviceTaintRule>& before,
                                 const api::ObjectPtr<api::DeviceTaintRule>& after) {
  if (!after || !after->condition || (before && before->condition == after->condition)) return;
  const api::Condition& condition = *after->condition;
  say(fmt::format("{}: {}={}, {}: {}", after->meta.key.name, api::kEvictionInProgress,
                  condition.status, condition.reason, condition.message));
}

std::vector<std::string> DemoStage::mistakes() const {
  std::vector<std::string> all = ledger().mistakes();
  all.insert(all.end(), mistakes_.begin(), mistakes_.end());
  return all;
}

Figures DemoStage::figures() const {
  std::size_t devices = 0;
  caches_.slices.reader().for_each(
      [&devices](const api::ObjectPtr<Slice>& slice) { devices += slice->devices.size(); });
  return {ledger_.tally(), devices};
}

api::PodPhase DemoStage::phase_of(const std::string& pod) const {
  const auto found = caches_.pods.get({kNamespace, pod});
  return found ? found->phase : api::PodPhase::unknown;
}

std::optional<api::DeviceId> DemoStage::device_of(const std::string& pod) const {
  const auto found = caches_.pods.get({kNamespace, pod});
  if (!found) return std::nullopt;
  for (const std::string_view name : common::names_of_claims(*found)) {
    const auto claim = caches_.claims.get({kNamespace, std::string(name)});
    if (claim && !claim->devices.empty()) return claim->devices.front().id;
  }
  return std::nullopt;
}

api::ObjectPtr<api::DeviceTaintRule> DemoStage::rule(const std::string& name) const {
  return rules_.get({{}, name});
}

}  // namespace dcm::playground
