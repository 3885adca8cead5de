#include "hello.hpp"

#include <boost/json.hpp>

namespace hello {
namespace {

using dcm::api::EventType;
using dcm::api::NamespacedName;
using dcm::manager::Cache;
using dcm::manager::ControllerManager;
using dcm::manager::is_controlled_by;
using dcm::runtime::Task;
using dcm::workqueue::Outcome;

// [kinds]
constexpr std::string_view kV1[] = {"v1"};
constexpr auto kNamespaced = dcm::api::Scope::namespaced;
constexpr dcm::api::ResourceKind kGreetings{"hello.example.com", "greetings", "Greeting",
                                            kNamespaced, kV1};
constexpr dcm::api::ResourceKind kConfigMaps{"", "configmaps", "ConfigMap", kNamespaced, kV1};

// The fields that this controller reads.
struct Greeting {
  dcm::api::ObjectMeta meta;
  std::string who;
};
struct ConfigMap {
  dcm::api::ObjectMeta meta;
  std::string text;
  std::optional<dcm::api::ControllerRef> owner;
};
// [kinds]

// [reconcile]
struct Greeter {
  ControllerManager& manager;
  Cache<Greeting>& greetings;
  Cache<ConfigMap>& maps;

  Task<Outcome> reconcile(NamespacedName name) {
    const auto greeting = greetings.get(name);
    if (!greeting) co_return Outcome::done();  // its ConfigMap is deleted with it
    const std::string text = "Hello, " + greeting->who + "!";
    const auto map = maps.get(name);
    if (map && !is_controlled_by(*map, greeting->meta)) {
      manager.report(greetings, greeting->meta, EventType::warning, "NameTaken",
                     "the ConfigMap of this name belongs to another owner");
      co_return Outcome::done();  // until the name is free
    }
    if (map && map->text == text) co_return Outcome::done();
    const auto owner = dcm::manager::controller_reference(greetings.resource(), greeting->meta);
    const auto written = co_await manager.client(maps).apply(
        name, {{"metadata", {{"ownerReferences", {owner}}}}, {"data", {{"text", text}}}});
    co_return manager.done_or_retry(name, written);
  }
};
// [reconcile]

}  // namespace

// [wiring]
void add_controllers(ControllerManager& manager) {
  auto& greetings = manager.cache<Greeting>(kGreetings, {{"spec.who", &Greeting::who}});
  auto& maps = manager.cache<ConfigMap>(
      kConfigMaps,
      {{"data.text", &ConfigMap::text}, {"metadata.ownerReferences", &ConfigMap::owner}});
  auto& greeter = manager.controller("hello", {.workers = 4}, Greeter{manager, greetings, maps});
  manager.feed(greeter, greetings);
  manager.owns(greeter, maps, kGreetings);  // a changed ConfigMap is restored
  manager.feed(greeter, maps);              // a name that another had becomes free
}
// [wiring]

}  // namespace hello
