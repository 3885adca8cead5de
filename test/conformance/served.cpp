#include "test/conformance/served.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dcm::conformance {
namespace {

using support::at;
using support::Kube;
using support::text_at;

// The array at a pointer of the answer of a path; empty if missing.
boost::json::array list_at(Kube& kube, const std::string& path, const char* pointer) {
  const Kube::Answer answer = kube.get(path);
  const boost::json::value& found = at(answer.body, pointer);
  return answer.status == 200 && found.is_array() ? found.as_array() : boost::json::array();
}

}  // namespace

std::vector<std::string> served_versions(Kube& kube, const std::string& group) {
  std::vector<std::string> versions;
  for (const auto& each : list_at(kube, "/apis/" + group, "/versions")) {
    versions.push_back(text_at(each, "/version"));
  }
  return versions;
}

bool is_served(Kube& kube, const std::string& group, const std::string& version,
               const std::string& resource) {
  const auto resources = list_at(kube, fmt::format("/apis/{}/{}", group, version), "/resources");
  return std::ranges::any_of(resources,
                             [&](const auto& each) { return text_at(each, "/name") == resource; });
}

std::string version_of(Kube& kube, const std::string& group, const std::string& resource) {
  for (const std::string& version : served_versions(kube, group)) {
    if (is_served(kube, group, version, resource)) return version;
  }
  return {};
}

}  // namespace dcm::conformance
