#include "hello.hpp"

#include <boost/json.hpp>

#include "client/api/json/projection.hpp"

namespace hello {
namespace {

using dcm::api::NamespacedName;
using dcm::runtime::Task;
using dcm::workqueue::Outcome;

constexpr std::string_view kV1[] = {"v1"};
constexpr auto kNamespaced = dcm::api::Scope::namespaced;
constexpr dcm::api::ResourceKind kGreetings{"hello.example.com", "greetings", "Greeting",
                                            kNamespaced, kV1};
constexpr dcm::api::ResourceKind kConfigMaps{"", "configmaps", "ConfigMap", kNamespaced, kV1};

// What this controller reads of them.
struct Greeting {
  dcm::api::ObjectMeta meta;
  std::string who;
};
struct ConfigMap {
  dcm::api::ObjectMeta meta;
  std::string text;
};

std::string config_map_for(const Greeting& greeting, const std::string& text) {
  const boost::json::object owner{{"apiVersion", "hello.example.com/v1"},
                                  {"kind", "Greeting"},
                                  {"name", greeting.meta.key.name},
                                  {"uid", greeting.meta.uid.str()},
                                  {"controller", true}};
  return boost::json::serialize(boost::json::object{
      {"apiVersion", "v1"},
      {"kind", "ConfigMap"},
      {"metadata", {{"name", greeting.meta.key.name}, {"ownerReferences", {owner}}}},
      {"data", {{"text", text}}}});
}

}  // namespace

void add_controllers(dcm::manager::ControllerManager& manager) {
  auto& greetings = manager.cache(
      kGreetings, dcm::api::json::make_projection<Greeting>({{"spec.who", &Greeting::who}}));
  auto& maps = manager.cache(
      kConfigMaps, dcm::api::json::make_projection<ConfigMap>({{"data.text", &ConfigMap::text}}));

  const auto reconcile = [&](NamespacedName name) -> Task<Outcome> {
    const auto greeting = greetings.reader().get(name);
    if (!greeting) co_return Outcome::done();  // its ConfigMap goes by its owner
    const std::string text = "Hello, " + greeting->who + "!";
    const auto map = maps.reader().get(name);
    if (map && map->text == text) co_return Outcome::done();
    const auto written = co_await manager.client(maps).apply(name, "", "hello-controller",
                                                             config_map_for(*greeting, text));
    if (!written) co_return Outcome::retry();
    maps.informer().own_writes().record(written->object);
    co_return Outcome::done();
  };
  auto& controller = manager.controller("hello", 4, reconcile);
  manager.feed(controller, greetings);
  manager.feed(controller, maps);  // a changed ConfigMap is restored
}

}  // namespace hello
