// The input of admission: one write, as rules and expressions see it (k8s.io/apiserver
// pkg/admission, Attributes).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

struct ResourceType;

// The user who sends a request.
struct User {
  std::string name = "system:admin";
  std::string uid = {};
  std::vector<std::string> groups = {"system:masters", "system:authenticated"};
  std::map<std::string, std::vector<std::string>> extra = {};
};

JsonObject encode_user(const User& user);

struct GroupVersionKind {
  std::string group;
  std::string version;
  std::string kind;

  bool operator==(const GroupVersionKind&) const = default;
  // "/v1, Kind=Pod"
  std::string text() const { return group + "/" + version + ", Kind=" + kind; }
};

struct Attributes {
  std::string_view operation;  // "CREATE", "UPDATE", "DELETE"
  const ResourceType* type;    // of the resource, also for its subresources
  std::string version;         // of the request
  std::string subresource;     // "", "status", "binding", …
  GroupVersionKind kind;       // of the object
  std::string ns;              // for a Namespace, its own name
  std::string name;            // "" for a whole collection
  User user;
  bool is_dry_run = false;
  JsonObject options;  // CreateOptions, UpdateOptions, DeleteOptions
  // As stored, without apiVersion and kind; null if there is none.
  const JsonObject* object = nullptr;
  const JsonObject* old_object = nullptr;
};

}  // namespace dcm::apiserver
