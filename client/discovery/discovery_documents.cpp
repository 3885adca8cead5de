#include "client/discovery/discovery_documents.hpp"

#include <functional>

#include <simdjson.h>

namespace dcm::client {
namespace {

using runtime::Reason;
using runtime::Result;
namespace dom = simdjson::dom;

// Passes the string `field` of each element of the array `list` to `sink`.
Result<> for_each_text(std::string_view body, std::string_view list, std::string_view field,
                       const std::function<void(std::string_view)>& sink) {
  dom::parser parser;
  dom::element document;
  if (const auto error = parser.parse(body.data(), body.size()).get(document)) {
    return runtime::fail(Reason::malformed, simdjson::error_message(error));
  }
  dom::array elements;
  if (document[list].get_array().get(elements) != simdjson::SUCCESS) {
    return runtime::fail(Reason::malformed, "no array \"" + std::string(list) + "\"");
  }
  for (const dom::element element : elements) {
    std::string_view text;
    if (element[field].get_string().get(text) != simdjson::SUCCESS) {
      return runtime::fail(Reason::malformed, "an element of \"" + std::string(list) +
                                                  "\" without a string \"" + std::string(field) +
                                                  "\"");
    }
    sink(text);
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> decode_group_versions(std::string_view body) {
  std::vector<std::string> versions;
  const Result<> read = for_each_text(body, "versions", "version", [&](std::string_view version) {
    versions.emplace_back(version);
  });
  if (!read) return runtime::fail(read.error());
  return versions;
}

Result<std::set<std::string>> decode_resource_names(std::string_view body) {
  std::set<std::string> names;
  const Result<> read =
      for_each_text(body, "resources", "name", [&](std::string_view name) { names.emplace(name); });
  if (!read) return runtime::fail(read.error());
  return names;
}

}  // namespace dcm::client
