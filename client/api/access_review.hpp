// A user, and the access to be checked: the contents of TokenReview (authentication.k8s.io/v1) and
// SubjectAccessReview (authorization.k8s.io/v1).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dcm::api {

struct UserInfo {
  std::string name;
  std::string uid = {};
  std::vector<std::string> groups = {};
  std::map<std::string, std::vector<std::string>> extra = {};
};

// A path outside of the API's objects, and the HTTP method on it.
struct NonResourceAttributes {
  std::string verb;  // the HTTP method in lower case
  std::string path;
};

// An object of the API, and the verb on it.
struct ResourceAttributes {
  std::string verb;  // "get"
  std::string group;
  std::string resource;  // "pods"
  std::string namespace_;
  std::string name;
};
using AccessAttributes = std::variant<NonResourceAttributes, ResourceAttributes>;

// Bodies of create requests. The first one holds a token, so it is never logged.
std::string encode_token_review(std::string_view token);
std::string encode_subject_access_review(const UserInfo& user, const AccessAttributes& what);

}  // namespace dcm::api
