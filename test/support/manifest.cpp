#include "test/support/manifest.hpp"

#include <yaml-cpp/yaml.h>

namespace dcm::support {
namespace {

boost::json::value to_json(const YAML::Node& node) {
  if (node.IsSequence()) {
    boost::json::array list;
    for (const auto& item : node) list.push_back(to_json(item));
    return list;
  }
  if (node.IsMap()) {
    boost::json::object object;
    for (const auto& member : node) object[member.first.Scalar()] = to_json(member.second);
    return object;
  }
  return boost::json::value(node.IsNull() ? std::string() : node.Scalar());
}

}  // namespace

std::vector<boost::json::value> read_manifests(const std::string& file) {
  std::vector<boost::json::value> objects;
  for (const YAML::Node& document :
       YAML::LoadAllFromFile(std::string(DCM_SOURCE_DIR) + "/" + file)) {
    objects.push_back(to_json(document));
  }
  return objects;
}

}  // namespace dcm::support
