// The definitions of a server and their consequences: which kinds are served, the conditions of
// each definition, and the deletion of its objects with it (k8s.io/apiextensions-apiserver
// pkg/controller/{status,establish,finalizer}).
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
  // All references must outlive it.
  Definitions(const Store& store, Registry& registry, ResourceTable& types)
      : store_(store), registry_(registry), types_(types) {}

  // Records a write.
  void observe(std::string_view storage, const Change& change);
  // Carries out the consequences of writes. `on_redefined` is called with the storage of a kind
  // whose watches must end.
  void settle(const std::function<void(std::string_view)>& on_redefined);

 private:
  void settle_one(const std::string& name,
                  const std::function<void(std::string_view)>& on_redefined);
  // Whether that step changed the status.
  bool judge_approval(const std::string& name, const JsonObject& definition);
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
  std::set<std::string, std::less<>> due_;       // names of definitions
  std::set<std::string, std::less<>> emptying_;  // waiting for their objects to be deleted
  std::map<std::string, std::string, std::less<>> served_;  // the input of a definition's rows
};

}  // namespace dcm::apiserver
