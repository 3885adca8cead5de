#include "apiserver/model/attributes.hpp"

namespace dcm::apiserver {

namespace {

JsonArray list_of(const std::vector<std::string>& texts) {
  JsonArray list;
  for (const std::string& text : texts) list.emplace_back(text);
  return list;
}

}  // namespace

JsonObject encode_user(const User& user) {
  JsonObject info;
  if (!user.name.empty()) info["username"] = user.name;
  if (!user.uid.empty()) info["uid"] = user.uid;
  if (!user.groups.empty()) info["groups"] = list_of(user.groups);
  for (const auto& [key, values] : user.extra) child(info, "extra")[key] = list_of(values);
  return info;
}

}  // namespace dcm::apiserver
