#include "shards.hpp"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace shards {
namespace {

using dcm::api::Condition;
using dcm::api::EventType;
using dcm::api::NamespacedName;
using dcm::manager::Cache;
using dcm::manager::ControllerManager;
using dcm::manager::is_controlled_by;
using dcm::runtime::Result;
using dcm::runtime::Task;
using dcm::workqueue::Outcome;
using Texts = std::map<std::string, std::string>;

constexpr std::string_view kV1[] = {"v1"};
constexpr auto kNamespaced = dcm::api::Scope::namespaced;
constexpr dcm::api::ResourceKind kShardSets{"shards.example.com", "shardsets", "ShardSet",
                                            kNamespaced, kV1};
constexpr dcm::api::ResourceKind kConfigMaps{"", "configmaps", "ConfigMap", kNamespaced, kV1};

constexpr const char* kFinalizer = "shards.example.com/in-use";
constexpr const char* kInUseBy = "shards.example.com/in-use-by";  // annotation of a shard
constexpr std::int64_t kNumbers = 65536;

// [fields]
struct ShardSet {
  dcm::api::ObjectMeta meta;
  std::int64_t generation = 0;
  std::vector<std::string> finalizers;
  std::int64_t shards = 0;
  std::vector<Condition> conditions;
};
struct Shard {
  dcm::api::ObjectMeta meta;
  std::optional<dcm::api::ControllerRef> owner;
  Texts annotations;
  Texts data;
};
// [fields]

Texts range_of(int shard, int shards) {
  return {{"from", std::to_string(kNumbers * shard / shards)},
          {"to", std::to_string(kNumbers * (shard + 1) / shards - 1)}};
}

NamespacedName name_of(const NamespacedName& set, int shard) {
  return {set.namespace_, fmt::format("{}-{}", set.name, shard)};
}

// The set whose shard has or would have this name.
NamespacedName set_of(const Shard& shard) {
  const NamespacedName& key = shard.meta.key;
  const std::string_view name = key.name;
  return {key.namespace_, name.substr(0, name.rfind('-'))};
}

struct ShardSets {
  ControllerManager& manager;
  Options options;
  Cache<ShardSet>& sets;
  Cache<Shard>& shards;
  dcm::informers::Index<Shard, NamespacedName> by_set;
  dcm::runtime::Counter& made;

  Task<Outcome> reconcile(NamespacedName name) {
    const auto set = sets.get(name);
    if (!set) co_return Outcome::done();  // its shards are deleted with it
    const Result<> done = co_await (set->meta.is_being_deleted ? finish(*set) : fill(*set));
    co_return manager.done_or_retry(name, done);
  }

 private:
  Task<Result<>> fill(ShardSet set) {
    Result<> done = co_await manager.client(sets).add_finalizer(set, kFinalizer);
    if (done) done = co_await make_shards(set);
    if (done) done = co_await remove_surplus(set);
    if (done) done = co_await report(set);
    co_return done;
  }

  int wanted(const ShardSet& set) const {
    return static_cast<int>(std::clamp<std::int64_t>(set.shards, 0, options.shards_max));
  }

  Task<Result<>> make_shards(ShardSet set) {
    for (int i = 0; i < wanted(set); ++i) {
      const NamespacedName name = name_of(set.meta.key, i);
      const auto shard = shards.get(name);
      const Texts range = range_of(i, wanted(set));
      // Others may add keys of their own.
      const bool is_right = shard && std::ranges::includes(shard->data, range);
      if (is_right || (shard && !is_controlled_by(*shard, set.meta))) continue;
      const boost::json::object fields{
          {"metadata",
           {{"ownerReferences", {dcm::manager::controller_reference(sets.resource(), set.meta)}}}},
          {"data", boost::json::value_from(range)}};
      const auto written = co_await manager.client(shards).apply(name, fields);
      if (!written) co_return dcm::runtime::fail(written.error());
      if (!shard) made.Increment();
    }
    co_return Result<>();
  }

  // Shards in use must be released first.
  Task<Result<>> remove_surplus(ShardSet set) {
    for (const auto& shard : by_set.get(set.meta.key)) {
      bool is_wanted = shard->annotations.contains(kInUseBy);
      for (int i = 0; i < wanted(set); ++i) {
        is_wanted = is_wanted || shard->meta.key == name_of(set.meta.key, i);
      }
      if (is_wanted || shard->meta.is_being_deleted) continue;
      const auto removed = co_await manager.client(shards).remove(shard->meta);
      if (!removed) co_return removed;
    }
    co_return Result<>();
  }

  // [report]
  Task<Result<>> report(ShardSet set) {
    Condition ready{.type = "Ready",
                    .status = "True",
                    .reason = "ShardsMade",
                    .message = fmt::format("{} shards", wanted(set)),
                    .observed_generation = set.generation};
    if (set.shards > options.shards_max) {
      ready.status = "False";
      ready.reason = "TooManyShards";
    }
    for (int i = 0; i < wanted(set); ++i) {
      const auto shard = shards.get(name_of(set.meta.key, i));
      if (!shard || is_controlled_by(*shard, set.meta)) continue;
      ready.status = "False";
      ready.reason = "NameTaken";
      ready.message = shard->meta.key.name + " belongs to another owner";
    }
    if (!set_condition(set.conditions, ready, manager.time().wall_now())) co_return Result<>();
    // Only its own: an apply takes over what it sends.
    const auto own = dcm::manager::encode_conditions({*find_condition(set.conditions, "Ready")});
    const auto written =
        co_await manager.client(sets).apply_status(set.meta, {{"status", {{"conditions", own}}}});
    if (!written) co_return dcm::runtime::fail(written.error());
    const auto type = ready.status == "True" ? EventType::normal : EventType::warning;
    manager.report(sets, set.meta, type, ready.reason, ready.message);
    co_return Result<>();
  }
  // [report]

  // [finish]
  Task<Result<>> finish(ShardSet set) {
    for (const auto& shard : by_set.get(set.meta.key)) {
      const auto user = shard->annotations.find(kInUseBy);
      if (user == shard->annotations.end()) continue;
      manager.report(sets, set.meta, EventType::normal, "Waiting",
                     fmt::format("{} is in use by {}", shard->meta.key.name, user->second));
      co_return Result<>();  // a change of the shard triggers this again
    }
    co_return co_await manager.client(sets).remove_finalizer(set, kFinalizer);
  }
  // [finish]
};

// [ready]
std::optional<std::string> why_not_ready(const Cache<ShardSet>& sets) {
  int behind = 0;
  sets.reader().for_each([&](const auto& set) {
    if (set->meta.is_being_deleted) return;  // finish() reports it
    const Condition* const ready = find_condition(set->conditions, "Ready");
    behind += ready == nullptr || ready->observed_generation != set->generation ? 1 : 0;
  });
  if (behind == 0) return std::nullopt;
  return fmt::format("{} sets are not up to date", behind);
}
// [ready]

}  // namespace

// [flags]
dcm::options::Settings flags(Options& options) {
  using dcm::options::kPositive;
  return {
      dcm::options::name_setting(
          {"namespace", "", "NAME", "Namespace of the sets and their shards."}, options.namespace_),
      dcm::options::number_setting({"shards-max", "", "NUMBER", "Most shards of one set."},
                                   options.shards_max, kPositive),
  };
}
// [flags]

// [wiring]
void add_controllers(ControllerManager& manager, const Options& options) {
  auto& sets = manager.cache<ShardSet>(kShardSets,
                                       {{"metadata.generation", &ShardSet::generation},
                                        {"metadata.finalizers", &ShardSet::finalizers},
                                        {"spec.shards", &ShardSet::shards},
                                        {"status.conditions", &ShardSet::conditions}},
                                       {.select = {.namespace_ = options.namespace_}});
  auto& shards = manager.cache<Shard>(kConfigMaps,
                                      {{"metadata.ownerReferences", &Shard::owner},
                                       {"metadata.annotations", &Shard::annotations},
                                       {"data", &Shard::data}},
                                      {.select = {.namespace_ = options.namespace_}});
  auto by_set = shards.index<NamespacedName>("by_set", dcm::manager::OwnerName(kShardSets));
  auto& made = manager.metrics().counter("program_shards_made_total", "Shards that were made.");

  auto& controller = manager.controller("shard-sets", {.workers = 4},
                                        ShardSets{manager, options, sets, shards, by_set, made});
  manager.feed(controller, sets, dcm::manager::own_name, dcm::manager::generation_changed);
  manager.owns(controller, shards, kShardSets);
  manager.feed(controller, shards, set_of);  // a name that another had becomes free
  manager.health().ready.add("sets", [&sets] { return why_not_ready(sets); });
}
// [wiring]

}  // namespace shards
