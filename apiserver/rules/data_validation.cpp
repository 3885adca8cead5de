#include "apiserver/rules/data_validation.hpp"

#include <string>
#include <string_view>

#include "apiserver/rules/names.hpp"
#include "runtime/base64.hpp"

namespace dcm::apiserver {

namespace {

void validate_keys(const JsonObject& object, const std::string& list, Causes& causes) {
  for (const auto& member : object_at(object, {list})) {
    const std::string key(member.key());
    validate_name(NameRule::config_map_key, key, list + "[" + key + "]", causes);
  }
}

void validate_immutable_data(const JsonObject& next, const JsonObject& old, Path lists,
                             Causes& causes) {
  if (!has_true(old, "immutable")) return;
  constexpr std::string_view kWhy = "field is immutable when `immutable` is set";
  if (!has_true(next, "immutable")) causes.push_back(forbidden_value("immutable", kWhy));
  for (const std::string_view list : lists) {
    if (object_at(next, {list}) == object_at(old, {list})) continue;
    causes.push_back(forbidden_value(std::string(list), kWhy));
  }
}

void require_key(const JsonObject& secret, const std::string& key, Causes& causes) {
  if (!has(secret, {"data", key})) causes.push_back(required_value("data[" + key + "]"));
}

void require_json(const JsonObject& secret, const std::string& key, Causes& causes) {
  require_key(secret, key, causes);
  const auto text = runtime::decode_base64(text_at(secret, {"data", key}));
  std::string problem;
  if (!has(secret, {"data", key}) || (text && parse(*text, problem))) return;
  causes.push_back(invalid_value("data[" + key + "]", Json("<secret contents redacted>"), problem));
}

// Each type of Secret has required keys.
void validate_content(const JsonObject& secret, Causes& causes) {
  const std::string_view type = text_at(secret, {"type"});
  if (type == "kubernetes.io/service-account-token") {
    const std::string account = "kubernetes.io/service-account.name";
    if (text_at(secret, {"metadata", "annotations", account}).empty()) {
      causes.push_back(required_value("metadata.annotations[" + account + "]"));
    }
  } else if (type == "kubernetes.io/dockercfg") {
    require_json(secret, ".dockercfg", causes);
  } else if (type == "kubernetes.io/dockerconfigjson") {
    require_json(secret, ".dockerconfigjson", causes);
  } else if (type == "kubernetes.io/basic-auth") {
    if (has(secret, {"data", "username"}) || has(secret, {"data", "password"})) return;
    require_key(secret, "username", causes);
    require_key(secret, "password", causes);
  } else if (type == "kubernetes.io/ssh-auth") {
    require_key(secret, "ssh-privatekey", causes);
  } else if (type == "kubernetes.io/tls") {
    require_key(secret, "tls.crt", causes);
    require_key(secret, "tls.key", causes);
  }
}

}  // namespace

void validate_config_map(const JsonObject& next, const JsonObject* old, Causes& causes) {
  if (old != nullptr) validate_immutable_data(next, *old, {"data", "binaryData"}, causes);
  validate_keys(next, "data", causes);
  validate_keys(next, "binaryData", causes);
}

void validate_secret(const JsonObject& next, const JsonObject* old, Causes& causes) {
  if (old != nullptr) {
    const std::string_view type = text_at(next, {"type"});
    if (type != text_at(*old, {"type"})) {
      causes.push_back(invalid_value("type", Json(type), "field is immutable"));
    }
    validate_immutable_data(next, *old, {"data"}, causes);
  }
  validate_keys(next, "data", causes);
  validate_content(next, causes);
}

}  // namespace dcm::apiserver
