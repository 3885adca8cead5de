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
  Definitions(Store& store, Registry& registry, ResourceTable& types)
      : store_(store), registry_(registry), types_(types) {}

  // Records a write.
  void observe(std::string_view storage, const Change& change);
  // Carries out the consequences of writes. `on_redefined` is called with the storage of a kind
  // whose watches must end.
  void settle(const std::function<void(std::string_view)>& on_redefined);
  // Forgets the histories of kinds that are gone, once nobody reads them.
  void forget_histories(const std::function<bool(std::string_view)>& is_watched);

 private:
  void settle_one(const std::string& name,
                  const std::function<void(std::string_view)>& on_redefined);
  // Whether that step changed the status, or would have if no policy forbade it.
  bool judge_approval(const std::string& name, const JsonObject& definition);
  bool accept_names(const std::string& name, const JsonObject& definition);
  bool establish(const std::string& name, const JsonObject& definition);
  bool clean_up(const std::string& name, const JsonObject& definition);
  void delete_objects(const std::string& name, const JsonObject& definition);
  // Whether it was written.
  bool write_status(const std::string& name, const std::function<void(JsonObject&)>& change);
  // false if `next` has the same status; else writes it.
  bool write_changed_status(const std::string& name, const JsonObject& definition,
                            const JsonObject& next);
  void release_names_of(std::string_view name);
  Target target_of(const std::string& name) const;

  Store& store_;
  Registry& registry_;
  ResourceTable& types_;
  std::set<std::string, std::less<>> due_;       // names of definitions
  std::set<std::string, std::less<>> emptying_;  // waiting for their objects to be deleted
  // The input of a definition's rows.
  struct Rows {
    std::string kind;
    bool is_terminating;

    friend bool operator==(const Rows&, const Rows&) = default;
  };
  static Rows rows_of(const JsonObject& definition);
  std::map<std::string, Rows, std::less<>> served_;
  std::set<std::string, std::less<>> gone_;  // kinds that were served, whose histories are kept
};

}  // namespace dcm::apiserver
