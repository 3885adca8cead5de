#include "apiserver/front/openapi.hpp"

#include <fmt/format.h>

#include "apiserver/definitions/published.hpp"
#include "apiserver/front/openapi_paths.hpp"
#include "apiserver/front/openapi_v2.hpp"
#include "apiserver/schemas/openapi_schemas.hpp"

namespace dcm::apiserver {

namespace {

// "" if not served, or without schemas.
std::string document(const ResourceTable& types, std::string_view group, std::string_view version,
                     std::string_view server_version) {
  JsonObject paths;
  std::string api_version;
  for (const ResourceType& type : types.types()) {
    if (type.group != group || !type.serves(version)) continue;
    api_version = type.api_version(version);
    add_openapi_paths(paths, type, version, OpenApi::v3);
  }
  std::string schemas(openapi_schemas(api_version));
  if (const JsonObject defined = published_schemas(types, group, version); !defined.empty()) {
    const std::string text = serialize(defined);
    schemas += (schemas.empty() ? "" : ",") + text.substr(1, text.size() - 2);
  }
  if (schemas.empty()) return {};
  return fmt::format(
      R"({{"openapi":"3.0.0","info":{{"title":"Kubernetes","version":"{}"}},"paths":{},)"
      R"("components":{{"schemas":{{{}}}}}}})",
      server_version, serialize(paths), schemas);
}

// Clients cache a document as long as its hash is the same (FNV-1a, 64 bits).
std::string hash_of(std::string_view text) {
  std::uint64_t hash = 14'695'981'039'346'656'037U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211U;
  }
  return fmt::format("{:016X}", hash);
}

// kubectl looks here for a kind that it has not found in version 3, and takes protobuf alone: there
// is nothing more to find. Gnostic's Document { swagger = 1, info = 2 { title = 1, version = 2 } }.
Response empty_version_two(const std::string& server_version) {
  const auto field = [](int number, const std::string& bytes) {
    return fmt::format("{:c}{:c}{}", number * 8 + 2, static_cast<int>(bytes.size()), bytes);
  };
  const std::string info = field(1, "Kubernetes") + field(2, server_version);
  return {200,
          {{"Content-Type", "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"}},
          field(1, "2.0") + field(2, info)};
}

Response tagged(std::string text) {
  const std::string tag = '"' + hash_of(text) + '"';
  Response answer = json_response(200, std::move(text));
  answer.headers.emplace_back("Etag", tag);
  return answer;
}

Response index(const ResourceTable& types, const std::string& server_version) {
  JsonObject paths;
  for (const std::string& group : types.groups()) {
    for (const std::string& version : types.versions_of(group)) {
      const std::string text = document(types, group, version, server_version);
      if (text.empty()) continue;
      const std::string root = openapi_root(group, version);
      paths[root] = JsonObject{
          {"serverRelativeURL", fmt::format("/openapi/v3/{}?hash={}", root, hash_of(text))}};
    }
  }
  return json_response(200, JsonObject{{"paths", paths}});
}

}  // namespace

std::optional<Response> openapi(const ResourceTable& types,
                                const std::vector<std::string>& segments,
                                const std::string& server_version, std::string_view accept) {
  const std::size_t depth = segments.size();
  if (depth < 2 || segments[0] != "openapi") return std::nullopt;
  if (depth == 2 && segments[1] == "v2") {
    const bool wants_protobuf = accept.contains("proto-openapi");
    return wants_protobuf ? empty_version_two(server_version)
                          : tagged(openapi_v2(types, server_version));
  }
  if (segments[1] != "v3") return std::nullopt;
  if (depth == 2) return index(types, server_version);
  const bool is_core = segments[2] == "api" && depth == 4;
  if (!is_core && (segments[2] != "apis" || depth != 5)) return std::nullopt;
  std::string text = document(types, is_core ? "" : segments[3], segments.back(), server_version);
  if (text.empty()) return std::nullopt;
  return tagged(std::move(text));
}

}  // namespace dcm::apiserver
