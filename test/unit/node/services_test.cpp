// Which services of a plugin are used, and why one is rejected: tables. Numbers in brackets are the
// cases of the node's specification.
#include "node/plugins/services.hpp"

#include <gtest/gtest.h>

namespace dcm::node {
namespace {

PluginInfo plugin(std::vector<std::string> services) {
  return {"DRAPlugin", "gpu.example.com", "/dra.sock", std::move(services)};
}

struct ChoiceRow {
  const char* sentence;
  std::vector<std::string> services;
  ServiceChoice choice;
  Services expected;
};

TEST(ChooseServices, picks_best_common_version) {  // [13], [14], [73]
  const ChoiceRow rows[] = {
      {"v1", {"v1.DRAPlugin"}, ServiceChoice::first_named, {DraVersion::v1}},
      {"only v1beta1", {"v1beta1.DRAPlugin"}, ServiceChoice::newest, {DraVersion::v1beta1}},
      {"the first of the list, as kubelet does",
       {"v1beta1.DRAPlugin", "v1.DRAPlugin"},
       ServiceChoice::first_named,
       {DraVersion::v1beta1}},
      {"the newest, if so configured",
       {"v1beta1.DRAPlugin", "v1.DRAPlugin"},
       ServiceChoice::newest,
       {DraVersion::v1}},
      {"unknown ones are ignored",
       {"v9.DRAPlugin", "v1.DRAPlugin"},
       ServiceChoice::first_named,
       {DraVersion::v1}},
      {"the newest health service, in any order",
       {"v1alpha1.DRAResourceHealth", "v1.DRAResourceHealth", "v1.DRAPlugin"},
       ServiceChoice::first_named,
       {DraVersion::v1, HealthVersion::v1}},
      {"an old health service",
       {"v1.DRAPlugin", "v1alpha1.DRAResourceHealth"},
       ServiceChoice::first_named,
       {DraVersion::v1, HealthVersion::v1alpha1}},
  };
  for (const ChoiceRow& row : rows) {
    EXPECT_EQ(choose_services(plugin(row.services), row.choice), row.expected) << row.sentence;
  }
}

TEST(ChooseServices, explains_absence) {  // [11], [12]
  EXPECT_EQ(choose_services(plugin({"1.0.0", "v1alpha4.Node"}), ServiceChoice::first_named).error(),
            "invalid supported gRPC versions of DRA driver plugin gpu.example.com at endpoint "
            "/dra.sock: none of services supported by the plugin ([\"1.0.0\" \"v1alpha4.Node\"]) "
            "are supported by the kubelet ([\"v1.DRAPlugin\" \"v1beta1.DRAPlugin\"])");
  EXPECT_EQ(choose_services(plugin({}), ServiceChoice::first_named).error(),
            "invalid supported gRPC versions of DRA driver plugin gpu.example.com at endpoint "
            "/dra.sock: empty list of supported gRPC services (aka supported versions)");
}

TEST(MethodPath, names_the_package_and_the_service) {
  EXPECT_EQ(method_path(DraVersion::v1beta1, "NodePrepareResources"),
            "/k8s.io.kubelet.pkg.apis.dra.v1beta1.DRAPlugin/NodePrepareResources");
}

}  // namespace
}  // namespace dcm::node
