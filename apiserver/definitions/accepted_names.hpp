// The names of a definition that no other definition of its group has.
#pragma once

#include "apiserver/definitions/conditions.hpp"
#include "apiserver/store/store.hpp"

namespace dcm::apiserver {

struct AcceptedNames {
  JsonObject names;
  Condition condition;  // NamesAccepted
};

// `all`: the definitions of the server.
AcceptedNames accept_names(const JsonObject& definition, const std::vector<Store::Entry>& all);

}  // namespace dcm::apiserver
