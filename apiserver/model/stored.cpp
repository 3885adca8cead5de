#include "apiserver/model/stored.hpp"

namespace dcm::apiserver {

std::string object_key(std::string_view ns, std::string_view name) {
  std::string key(ns);
  if (!ns.empty()) key += '/';
  return key.append(name);
}

}  // namespace dcm::apiserver
