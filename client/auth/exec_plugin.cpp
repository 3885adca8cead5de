#include "client/auth/exec_plugin.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <simdjson.h>

#include "client/auth/field_value.hpp"
#include "client/config/pem.hpp"
#include "client/config/yaml_fields.hpp"
#include "client/config/yaml_json.hpp"
#include "runtime/base64.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::client {
namespace {

namespace json = boost::json;
namespace dom = simdjson::dom;
using runtime::fail;
using runtime::Reason;
using runtime::Result;

// Go's zero time, which a plugin may print for "never".
constexpr std::string_view kNoTime = "0001-01-01T00:00:00Z";

json::object encode_cluster(const ExecCluster& cluster) {
  json::object object;
  object["server"] = cluster.server;
  if (!cluster.tls_server_name.empty()) object["tls-server-name"] = cluster.tls_server_name;
  if (cluster.insecure_skip_tls_verify) object["insecure-skip-tls-verify"] = true;
  if (!cluster.ca_pem.empty()) {
    object["certificate-authority-data"] = runtime::encode_base64(cluster.ca_pem);
  }
  if (!cluster.proxy_url.empty()) object["proxy-url"] = cluster.proxy_url;
  if (cluster.disable_compression) object["disable-compression"] = true;
  if (!cluster.config_json.empty()) object["config"] = json::parse(cluster.config_json);
  return object;
}

std::unexpected<runtime::Error> refuse(std::string why) {
  return fail(Reason::configuration, std::move(why));
}

// A string field of `object`; "" if missing. Errors: not a string.
Result<std::string> text_of(dom::element object, std::string_view field) {
  dom::element value;
  if (object[field].get(value) != simdjson::SUCCESS || value.is_null()) return std::string();
  std::string_view text;
  if (value.get_string().get(text) != simdjson::SUCCESS) {
    return refuse(fmt::format("{} is not a string", field));
  }
  return std::string(text);
}

Result<> check_credential(const ExecCredential& credential) {
  if (credential.certificate_pem.empty() != credential.key_pem.empty()) {
    return refuse("status has only one of clientCertificateData and clientKeyData");
  }
  if (credential.token.empty() && credential.certificate_pem.empty()) {
    return refuse("status has neither a token nor a client certificate");
  }
  if (credential.certificate_pem.empty()) return {};
  if (!has_pem_block(credential.certificate_pem, PemKind::certificate)) {
    return refuse("status.clientCertificateData does not hold a certificate in PEM");
  }
  if (!has_pem_block(credential.key_pem, PemKind::private_key)) {
    return refuse("status.clientKeyData does not hold a private key in PEM");
  }
  return {};
}

Result<ExecCredential> read_status(dom::element status) {
  ExecCredential credential;
  std::string expires;
  for (const auto& [field, into] : {std::pair("token", &credential.token),
                                    {"clientCertificateData", &credential.certificate_pem},
                                    {"clientKeyData", &credential.key_pem},
                                    {"expirationTimestamp", &expires}}) {
    auto text = text_of(status, field);
    if (!text) return refuse("status." + text.error().message);
    *into = std::move(*text);
  }
  if (!expires.empty() && expires != kNoTime) {
    credential.expires = runtime::parse_timestamp(expires);
    if (!credential.expires) return refuse("status.expirationTimestamp is not a time (RFC 3339)");
  }
  auto token = trimmed_field_value(credential.token);
  if (!token) return refuse("status.token is not a token");
  credential.token = std::move(*token);
  if (auto ok = check_credential(credential); !ok) return fail(std::move(ok.error()));
  return credential;
}

// Plugins print JSON; like client-go we also accept YAML, judged by the first character.
std::string as_json(std::string_view output) {
  const auto begin = output.find_first_not_of(" \t\r\n");
  if (begin != std::string_view::npos && output[begin] == '{') return std::string(output);
  YamlReader reader("output", YamlRules::as_client_go);
  const YAML::Node node = reader.parse(std::string(output));
  return reader.error() ? "" : to_json(node).value_or("");
}

Result<> check_type(dom::element document, std::string_view api_version) {
  for (const auto& [field, wanted] :
       {std::pair("kind", std::string_view("ExecCredential")), {"apiVersion", api_version}}) {
    const auto text = text_of(document, field);
    if (!text || *text != wanted) return refuse(fmt::format("{} is not {}", field, wanted));
  }
  return {};
}

}  // namespace

std::string ExecPlugin::describe() const {
  return fmt::format("credential plugin \"{}\"", command);
}

std::string encode_exec_info(const ExecPlugin& plugin, const ExecCluster* cluster) {
  json::object spec;
  if (cluster != nullptr) spec["cluster"] = encode_cluster(*cluster);
  spec["interactive"] = false;
  json::object info;
  info["kind"] = "ExecCredential";
  info["apiVersion"] = plugin.api_version;
  info["spec"] = std::move(spec);
  return json::serialize(info);
}

Result<ExecCredential> decode_exec_credential(std::string_view output,
                                              std::string_view api_version) {
  dom::parser parser;
  dom::element document;
  if (parser.parse(as_json(output)).get(document) != simdjson::SUCCESS || !document.is_object()) {
    return refuse("its output is not a JSON object");
  }
  if (auto ok = check_type(document, api_version); !ok) {
    return refuse("of its output, " + ok.error().message);
  }
  dom::element status;
  if (document["status"].get(status) != simdjson::SUCCESS || !status.is_object()) {
    return refuse("its output has no status");
  }
  auto credential = read_status(status);
  if (!credential) return refuse("of its output, " + credential.error().message);
  return credential;
}

}  // namespace dcm::client
