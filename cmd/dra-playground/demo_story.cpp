#include "cmd/dra-playground/demo_story.hpp"

#include <array>

#include <fmt/format.h>

#include "cmd/dra-playground/bodies.hpp"

namespace dcm::playground {
namespace {

using namespace std::chrono_literals;
using runtime::Reason;

constexpr const char* kNamespace = "demo";
constexpr Duration kFrame = 250ms;

constexpr std::array kFirstFiles = {"shared-claim.yaml", "two-templates.yaml",
                                    "pod-before-its-template.yaml", "sixty-four-pods.yaml"};
constexpr const char* kLateFile = "late-template.yaml";
// The pod of two-templates.yaml runs until it is deleted.
constexpr const char* kPodToDelete = "trainer-0";

constexpr std::array<std::string_view, 1> kVersions = {"v1"};
constinit const api::ResourceKind kNamespaces{.group = "",
                                              .plural = "namespaces",
                                              .kind = "Namespace",
                                              .scope = api::Scope::cluster,
                                              .versions = kVersions};

// Without a kind: none that the demo knows.
api::Resource resource_of(const std::string& kind) {
  if (kind == "Pod") return pods();
  if (kind == "ResourceClaim") return claims();
  if (kind == "ResourceClaimTemplate") return {&api::kResourceClaimTemplates, "v1"};
  return {};
}

api::NamespacedName in_demo(const std::string& name) {
  return {kNamespace, name};
}

Result<> without_body(const Result<http::Response>& answer) {
  if (!answer) return runtime::fail(answer.error());
  return {};
}

}  // namespace

DemoStory::DemoStory(PartContext context, client::RestClient& rest, const DemoOptions& options)
    : context_(std::move(context)),
      options_(options),
      api_(rest),
      caches_(rest, {context_.time, context_.rng, runtime::Logger(), context_.metrics}),
      ledger_(kNamespace),
      result_(kNamespace),
      table_(stdout, LiveTable::output_of(stdout)),
      on_pod_(
          [this](const auto& before, const auto& after) { ledger_.observe_pod(before, after); }),
      on_claim_(
          [this](const auto& before, const auto& after) { ledger_.observe_claim(before, after); }),
      start_(context_.time.now()),
      deadline_(runtime::Deadline::after(context_.time, options.time_limit)) {
  caches_.pods.informer.add_observer(on_pod_);
  caches_.claims.informer.add_observer(on_claim_);
}

Task<> DemoStory::tell(Result<>& told, runtime::TaskGroup& group) {
  group.spawn("caches", caches_.run(context_.executor));
  told = co_await play();
  group.cancel();
}

Task<Result<>> DemoStory::play() {
  Result<> done = co_await prepare();
  if (!done) co_return done;
  Result<> acted = co_await act();
  result_ = ledger_;
  done = co_await remove_all();
  co_return acted ? done : acted;
}

// An empty namespace, and a view of it.
Task<Result<>> DemoStory::prepare() {
  const Result<http::Response> made =
      co_await api_.apply({&kNamespaces, "v1"}, {{}, kNamespace}, {}, encode_namespace(kNamespace));
  if (!made) co_return without_body(made);
  co_await caches_.wait_for_sync();
  Result<> done = co_await remove_all();
  if (!done) co_return done;
  done = co_await show_until("an earlier demo has left nothing", [this] {
    const Tally& tally = ledger_.tally();
    return tally.pods_pending + tally.pods_running + tally.claims == 0;
  });
  ledger_ = Ledger(kNamespace);
  start_ = context_.time.now();
  co_return done;
}

Task<Result<>> DemoStory::act() {
  Result<> done;
  for (const char* file : kFirstFiles) {
    done = co_await apply(file);
    if (!done) co_return done;
  }
  done = co_await show_until("trainer-0 runs",
                             [this] { return phase_of(kPodToDelete) == api::PodPhase::running; });
  if (!done) co_return done;
  table_.say("trainer-0 would run for ever: it is deleted now", elapsed());
  const Result<http::Response> deleted =
      co_await api_.remove(pods(), in_demo(kPodToDelete), encode_delete({}));
  if (!deleted) co_return without_body(deleted);
  done = co_await show_until("some pods have ended",
                             [this] { return ledger_.tally().pods_finished >= 32; });
  if (!done) co_return done;
  table_.say("the template that early-0 waits for appears", elapsed());
  done = co_await apply(kLateFile);
  if (!done) co_return done;
  done = co_await show_until("all pods have ended and all devices are free", [this] {
    return ledger_.tally().pods_seen == pods_applied_ && ledger_.is_over();
  });
  co_return done;
}

Task<Result<>> DemoStory::apply(std::string file) {
  const auto manifests = manifests_of(file);
  if (!manifests) co_return runtime::fail(manifests.error());
  table_.say(fmt::format("applying {}: {} objects", file, manifests->size()), elapsed());
  for (const Manifest& manifest : *manifests) {
    const Result<http::Response> applied =
        co_await api_.apply(resource_of(manifest.kind), in_demo(manifest.name), {}, manifest.json);
    if (!applied) co_return without_body(applied);
    if (manifest.kind == "Pod") ++pods_applied_;
  }
  co_return Result<>();
}

// All that the files have. Claims of pods go with their pods.
Task<Result<>> DemoStory::remove_all() {
  std::vector<std::string> files(kFirstFiles.begin(), kFirstFiles.end());
  files.emplace_back(kLateFile);
  for (const std::string& file : files) {
    const auto manifests = manifests_of(file);
    if (!manifests) co_return runtime::fail(manifests.error());
    for (const Manifest& manifest : *manifests) {
      const Result<http::Response> removed = co_await api_.remove(
          resource_of(manifest.kind), in_demo(manifest.name), encode_delete({}));
      if (!removed && !runtime::is_not_found(removed.error())) co_return without_body(removed);
    }
  }
  co_return Result<>();
}

Task<Result<>> DemoStory::show_until(std::string what, Reached reached) {
  for (;;) {
    table_.show(figures(), elapsed());
    if (reached()) co_return Result<>();
    if (deadline_.has_passed(context_.time)) {
      co_return runtime::fail(Reason::deadline_exceeded,
                              "in the time given it did not come so far that " + what);
    }
    co_await runtime::sleep_for(context_.time, kFrame);
  }
}

Result<std::vector<Manifest>> DemoStory::manifests_of(const std::string& file) const {
  auto manifests = read_manifests(options_.manifests + "/" + file);
  if (!manifests) return manifests;
  for (const Manifest& manifest : *manifests) {
    if (resource_of(manifest.kind).kind == nullptr) {
      return runtime::fail(Reason::configuration,
                           fmt::format("{}: the demo knows no kind {}", file, manifest.kind));
    }
  }
  return manifests;
}

Figures DemoStory::figures() const {
  std::size_t devices = 0;
  caches_.slices.reader.for_each(
      [&devices](const api::ObjectPtr<Slice>& slice) { devices += slice->devices.size(); });
  return {ledger_.tally(), devices};
}

api::PodPhase DemoStory::phase_of(const std::string& pod) const {
  const auto found = caches_.pods.reader.get(in_demo(pod));
  return found ? found->phase : api::PodPhase::unknown;
}

}  // namespace dcm::playground
