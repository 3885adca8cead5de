// Impersonation (`kubectl --as`): the user, and the header fields for it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/auth/credentials.hpp"

namespace dcm::client {

// No field is secret. Empty user: no impersonation.
struct Impersonation {
  std::string user = {};
  std::string uid = {};
  std::vector<std::string> groups = {};
  std::vector<std::pair<std::string, std::vector<std::string>>> extra = {};
};

// Adds Impersonate-User, -Uid, -Group and -Extra-…, as client-go's transport does.
void impersonate(const Impersonation& as, http::Headers& headers);

// `inner`, with these headers added to each request.
std::unique_ptr<Credentials> make_impersonating(std::unique_ptr<Credentials> inner,
                                                Impersonation as);

}  // namespace dcm::client
