#include "apiserver/front/user.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "apiserver/text/words.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::string_view kExtra = "impersonate-extra-";
constexpr std::string_view kServiceAccount = "system:serviceaccount:";
constexpr std::string_view kAnonymous = "system:anonymous";
constexpr std::string_view kAuthenticated = "system:authenticated";
constexpr std::string_view kUnauthenticated = "system:unauthenticated";

bool has_group(const User& user, std::string_view group) {
  return std::ranges::find(user.groups, group) != user.groups.end();
}

// "system:serviceaccount:NAMESPACE:NAME" is in the groups of service accounts, unless others are
// named.
void add_service_account_groups(User& user) {
  if (!user.name.starts_with(kServiceAccount) || !user.groups.empty()) return;
  const std::string_view account = std::string_view(user.name).substr(kServiceAccount.size());
  const auto colon = account.find(':');
  if (colon == std::string_view::npos) return;
  user.groups = {"system:serviceaccounts",
                 fmt::format("system:serviceaccounts:{}", account.substr(0, colon))};
}

void add_authentication_group(User& user) {
  if (user.name == kAnonymous) {
    if (!has_group(user, kUnauthenticated)) user.groups.emplace_back(kUnauthenticated);
  } else if (!has_group(user, kAuthenticated) && !has_group(user, kUnauthenticated)) {
    user.groups.emplace_back(kAuthenticated);
  }
}

}  // namespace

Result<User> user_of(const Request& request) {
  User user{.name = "", .groups = {}};
  bool acts_for_another = false;
  for (const auto& [header, value] : request.headers) {
    const std::string name = lower(header);
    if (!name.starts_with("impersonate-")) continue;
    acts_for_another = true;
    if (name == "impersonate-user") user.name = value;
    if (name == "impersonate-uid") user.uid = value;
    if (name == "impersonate-group") user.groups.push_back(value);
    if (name.starts_with(kExtra)) {
      user.extra[percent_decoded(name.substr(kExtra.size()))].push_back(value);
    }
  }
  if (!acts_for_another) return User();
  if (user.name.empty()) {
    return std::unexpected(
        bad_request("requested groups, a UID or extra without impersonating a user"));
  }
  add_service_account_groups(user);
  add_authentication_group(user);
  return user;
}

}  // namespace dcm::apiserver
