// The object that a request addresses, and how it is to be written.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/model/attributes.hpp"
#include "apiserver/model/resource_type.hpp"
#include "apiserver/model/stored.hpp"

namespace dcm::apiserver {

// Where a write goes: the object itself, its /status, /scale, or a namespace's /finalize.
enum class Endpoint { main, status, finalize, scale };
// "" for the object itself.
std::string_view subresource_of(Endpoint endpoint);
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
