// Which object a request means, and how it is to be written.
#pragma once

#include <string>

#include "apiserver/model/attributes.hpp"
#include "apiserver/model/resource_table.hpp"
#include "apiserver/rules/strategy.hpp"
#include "apiserver/store/store.hpp"

namespace dcm::apiserver {

enum class Commit { write, dry_run };

struct Target {
  const ResourceType* type;
  std::string version;
  std::string ns;
  std::string name;
  Endpoint endpoint = Endpoint::main;
  std::string manager = {};
  Commit commit = Commit::write;
  Encoding answer = Encoding::json;
  User user = {};
  JsonObject options = {};  // the query's, as admission policies see them

  std::string key() const { return object_key(ns, name); }
};

}  // namespace dcm::apiserver
