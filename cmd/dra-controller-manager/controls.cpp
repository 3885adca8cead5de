#include "cmd/dra-controller-manager/controls.hpp"

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "controllers/api/decoders.hpp"
#include "controllers/api/resources.hpp"
#include "runtime/run_then_cancel.hpp"
#include "runtime/task_group.hpp"

namespace dcm::dra_manager {
namespace {

using common::Input;
using runtime::Task;

constexpr std::array kTypes = {&kClaimControl, &kEvictionControl, &kPoolStatusControl};

// The inputs of explanations, by plural; nullopt: explanations do not need it.
std::optional<Input> input_of(std::string_view plural) {
  if (plural == api::kPods.plural) return Input::pods;
  if (plural == api::kResourceClaims.plural) return Input::claims;
  if (plural == api::kResourceClaimTemplates.plural) return Input::templates;
  if (plural == api::kPodGroups.plural) return Input::groups;
  if (plural == api::kResourceSlices.plural) return Input::slices;
  if (plural == api::kDeviceTaintRules.plural) return Input::rules;
  return std::nullopt;
}

// Adds the unknown inputs of explanations.
common::Sight sight_of(const Epoch& epoch, common::Sight sight) {
  for (Epoch::Gap& gap : epoch.gaps()) {
    if (const auto input = input_of(gap.resource)) sight.hide(*input, std::move(gap.why.whole));
  }
  return sight;
}

// The explanations of an epoch, registered during its life.
class Explanations {
 public:
  Explanations(CurrentExplanations& current, ControllersSource::Parts parts)
      : current_(current), source_(std::move(parts)) {
    current_.source = &source_;
  }
  ~Explanations() { current_.source = nullptr; }
  Explanations(const Explanations&) = delete;
  Explanations& operator=(const Explanations&) = delete;

 private:
  CurrentExplanations& current_;
  ControllersSource source_;
};

std::function<Cache<api::ResourceSlice>&()> make_slices_once(Epoch& epoch, const Options& options) {
  return [&epoch, &options,
          made = static_cast<Cache<api::ResourceSlice>*>(nullptr)]() mutable -> auto& {
    if (made == nullptr) {
      made = &epoch.make_cache<api::ResourceSlice>(
          client::resource_of(api::kResourceSlices, epoch.served()),
          api::make_slice_decoder(options.kube_api_content_type, epoch.version()));
    }
    return *made;
  };
}

void fill(Epoch& epoch, const Options& options, api::EventSink& events,
          CurrentExplanations& explanations) {
  epoch.context().process.log.info("Using resource.k8s.io", {{"version", epoch.version()}});
  auto& pods = epoch.make_cache<api::Pod>(client::resource_of(api::kPods, client::kCoreV1),
                                          api::make_pod_decoder(options.kube_api_content_type));
  auto& claims = epoch.make_cache<api::ResourceClaim>(
      client::resource_of(api::kResourceClaims, epoch.served()),
      api::make_claim_decoder(options.kube_api_content_type, epoch.version()));
  ControllersSource::Parts parts{.pods = pods.reader(), .claims = claims.reader()};
  common::Sight limits;
  const ControlContext control{.epoch = epoch,
                               .events = events,
                               .options = options,
                               .pods = pods,
                               .claims = claims,
                               .explainers = parts.controllers,
                               .limits = limits,
                               .slices = make_slices_once(epoch, options)};
  for (const ControlType* type : kTypes) {
    if (options.*(type->runs)) {
      type->add(control);
    } else if (type->explains) {
      parts.controllers.push_back({.controller = type->name});
    }
  }
  parts.sight = [&epoch, limits] { return sight_of(epoch, limits); };
  epoch.keep(std::make_shared<Explanations>(explanations, std::move(parts)));
}

}  // namespace

std::span<const ControlType* const> control_types() {
  return kTypes;
}

Controllers make_controllers(const Options& options, api::EventSink& events,
                             CurrentExplanations& explanations) {
  Controllers controllers{.kinds = {&api::kResourceClaims}};
  controllers.fill = [&](Epoch& epoch) { fill(epoch, options, events, explanations); };
  for (const ControlType* type : kTypes) {
    if (options.*(type->runs)) controllers.kinds.push_back(type->kind);
  }
  return controllers;
}

runtime::Logger logger_of(const ControlContext& context, std::string_view controller) {
  return context.process().log.with({{"controller", controller}});
}

std::function<void()> say_synced(const ControlContext& context, std::string_view controller) {
  return [log = context.process().log, controller, pods = context.pods.reader(),
          claims = context.claims.reader()] {
    log.info("Caches are synced",
             {{"controller", controller}, {"pods", pods.size()}, {"claims", claims.size()}});
  };
}

Task<> run_with(common::Expectations& expectations, Task<> controller) {
  const runtime::Executor executor = co_await boost::asio::this_coro::executor;
  runtime::TaskGroup group(executor);
  group.spawn("controller", run_then_cancel(std::move(controller), group));
  group.spawn("dry run", expectations.run());
  co_await group.join();
}

}  // namespace dcm::dra_manager
