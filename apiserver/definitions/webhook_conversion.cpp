#include "apiserver/definitions/webhook_conversion.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

#include "apiserver/definitions/ca_bundle.hpp"
#include "apiserver/definitions/stored_version.hpp"
#include "apiserver/rules/checks.hpp"
#include "apiserver/rules/names.hpp"
#include "runtime/base64.hpp"

namespace dcm::apiserver {

namespace {

constexpr std::string_view kPath = "spec.conversion";
// The internal version, in which causes name fields, has the client's configuration here.
constexpr std::string_view kClientPath = "spec.conversion.webhookClientConfig";
constexpr std::string_view kReviewsPath = "spec.conversion.conversionReviewVersions";

bool is_by_webhook(const JsonObject& spec) {
  return text_at(spec, {"conversion", "strategy"}) == "Webhook";
}

void validate_service(const JsonObject& service, Causes& causes) {
  const std::string path = fmt::format("{}.service", kClientPath);
  // The real server confuses the two names as well.
  if (text_at(service, {"namespace"}).empty()) causes.push_back(required_value(path + ".name"));
  if (text_at(service, {"name"}).empty()) causes.push_back(required_value(path + ".namespace"));
  const std::int64_t port = integer_at(service, {"port"}).value_or(0);
  if (port < 1 || port > kPortMax) {
    causes.push_back(invalid_value(path + ".port", Json(port),
                                   "port is not valid: must be between 1 and 65535, inclusive"));
  }
  const std::string_view url_path = text_at(service, {"path"});
  if (!url_path.empty() && !url_path.starts_with('/')) {
    causes.push_back(invalid_value(path + ".path", Json(url_path), "must start with a '/'"));
  }
}

void validate_url(std::string_view url, Causes& causes) {
  constexpr std::string_view kForm = "; desired format: https://host[/path]";
  constexpr std::string_view kScheme = "https://";
  const std::string path = fmt::format("{}.url", kClientPath);
  const std::string_view scheme = url.substr(0, std::min(url.find(':'), url.size()));
  if (!url.starts_with(kScheme)) {
    causes.push_back(invalid_value(path, Json(url.contains(':') ? scheme : ""),
                                   fmt::format("'https' is the only allowed URL scheme{}", kForm)));
  } else if (url.size() == kScheme.size() || url[kScheme.size()] == '/') {
    causes.push_back(invalid_value(path, Json(""), fmt::format("host must be specified{}", kForm)));
  }
}

void validate_client(const JsonObject& webhook, Causes& causes) {
  const std::string path(kClientPath);
  if (!has(webhook, {"clientConfig"})) {
    causes.push_back(required_value(path, "required when strategy is set to Webhook"));
    return;
  }
  const JsonObject& client = object_at(webhook, {"clientConfig"});
  if (has(client, {"url"}) == has(client, {"service"})) {
    causes.push_back(required_value(path, "exactly one of url or service is required"));
  } else if (has(client, {"url"})) {
    validate_url(text_at(client, {"url"}), causes);
  } else {
    validate_service(object_at(client, {"service"}), causes);
  }
}

// At least one must be known to a real server.
void validate_reviews(const JsonArray& versions, Causes& causes) {
  const std::string path(kReviewsPath);
  if (versions.empty()) {
    causes.push_back(required_value(path));
    return;
  }
  std::set<std::string_view> seen;
  for (const auto& [version, at] : texts_with_paths(versions, path)) {
    if (seen.insert(version).second) {
      validate_name(NameRule::dns_1035_label, version, at, causes);
    } else {
      causes.push_back(invalid_value(at, Json(version), "duplicate version"));
    }
  }
  if (seen.contains("v1") || seen.contains("v1beta1")) return;
  causes.push_back(invalid_value(path, versions, "must include at least one of v1, v1beta1"));
}

std::string_view ca_bundle_of(const JsonObject& spec) {
  return text_at(spec, {"conversion", "webhook", "clientConfig", "caBundle"});
}

std::string problem_of(std::string_view ca_bundle) {
  return problem_with_ca_bundle(runtime::decode_base64(ca_bundle).value_or(""));
}

// As a real server shows it in its errors.
std::string url_of(const JsonObject& client) {
  if (const std::string_view url = text_at(client, {"url"}); !url.empty()) return std::string(url);
  const JsonObject& service = object_at(client, {"service"});
  return fmt::format("https://{}.{}.svc:{}{}", text_at(service, {"name"}),
                     text_at(service, {"namespace"}), integer_at(service, {"port"}).value_or(443),
                     text_at(service, {"path"}));
}

std::string failure_of(const JsonObject& spec, std::string_view from) {
  return fmt::format(
      "conversion webhook for {}/{}, Kind={} failed: Post \"{}?timeout=30s\": this API server "
      "calls no webhooks",
      text_at(spec, {"group"}), from, text_at(spec, {"names", "kind"}),
      url_of(object_at(spec, {"conversion", "webhook", "clientConfig"})));
}

}  // namespace

void set_conversion_defaults(JsonObject& spec) {
  set_default(spec, "conversion", JsonObject{{"strategy", "None"}});
  Json* const service = find(spec, {"conversion", "webhook", "clientConfig", "service"});
  if (service != nullptr && service->is_object()) set_default(service->get_object(), "port", 443);
}

void validate_conversion(const JsonObject& spec, Causes& causes) {
  const JsonObject& conversion = object_at(spec, {"conversion"});
  const JsonObject& webhook = object_at(conversion, {"webhook"});
  require_choice(text_at(conversion, {"strategy"}), {"None", "Webhook"},
                 fmt::format("{}.strategy", kPath), causes);
  const JsonArray& reviews = array_at(webhook, {"conversionReviewVersions"});
  if (is_by_webhook(spec)) {
    validate_client(webhook, causes);
    validate_reviews(reviews, causes);
    return;
  }
  constexpr std::string_view kNotSet = "should not be set when strategy is not set to Webhook";
  if (has(webhook, {"clientConfig"})) {
    causes.push_back(forbidden_value(std::string(kClientPath), kNotSet));
  }
  if (!reviews.empty()) causes.push_back(forbidden_value(std::string(kReviewsPath), kNotSet));
}

bool has_valid_ca_bundle(const JsonObject& spec) {
  return problem_of(ca_bundle_of(spec)).empty();
}

void validate_ca_bundle(const JsonObject& next, const JsonObject& old, Causes& causes) {
  const std::string_view bundle = ca_bundle_of(next);
  const std::string problem = is_by_webhook(next) ? problem_of(bundle) : "";
  if (problem.empty() || !has_valid_ca_bundle(old)) return;
  causes.push_back(invalid_value(fmt::format("{}.caBundle", kClientPath), Json(bundle), problem));
}

std::string conversion_warning(const JsonObject& spec) {
  if (!is_by_webhook(spec) || array_at(spec, {"versions"}).size() < 2) return {};
  return fmt::format(
      "this API server calls no webhooks: objects of {} are available only in version {}",
      text_at(spec, {"names", "kind"}), text_at(stored_version(spec), {"name"}));
}

std::optional<Unconverted> unconverted_of(const JsonObject& spec, const JsonObject& version) {
  if (!is_by_webhook(spec) || has_true(version, "storage")) return std::nullopt;
  return Unconverted{.reading = failure_of(spec, text_at(stored_version(spec), {"name"})),
                     .writing = failure_of(spec, text_at(version, {"name"}))};
}

}  // namespace dcm::apiserver
