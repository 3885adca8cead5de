// The definitions of a server and what follows from them: which kinds are served, the conditions of
// each definition, and the end of its objects when it is deleted
// (k8s.io/apiextensions-apiserver pkg/controller/{status,establish,finalizer}).
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "apiserver/registry/registry.hpp"

namespace dcm::apiserver {

class Definitions {
 public:
  // All outlive it.
  Definitions(const Store& store, Registry& registry, ResourceTable& types)
      : store_(store), registry_(registry), types_(types) {}

  // Takes note of a write.
  void observe(std::string_view storage, const Change& change);
  // Carries out what follows from the writes. `on_redefined` is called with the storage of a kind
  // whose watches see no more of it.
  void settle(const std::function<void(std::string_view)>& on_redefined);

 private:
  void settle_one(const std::string& name,
                  const std::function<void(std::string_view)>& on_redefined);
  // Whether the status was changed by that step.
  bool accept_names(const std::string& name, const JsonObject& definition);
  bool establish(const std::string& name, const JsonObject& definition);
  bool clean_up(const std::string& name, const JsonObject& definition);
  void delete_objects(const std::string& name, const JsonObject& definition);
  void write_status(const std::string& name, const std::function<void(JsonObject&)>& change);
  void release(const std::string& name);
  Target target_of(const std::string& name) const;

  const Store& store_;
  Registry& registry_;
  ResourceTable& types_;
  std::set<std::string, std::less<>> due_;                  // names of definitions
  std::set<std::string, std::less<>> emptying_;             // that go when their objects are gone
  std::map<std::string, std::string, std::less<>> served_;  // what a definition's rows are made of
};

}  // namespace dcm::apiserver
