#include "test/conformance/webhook.hpp"

#include <fstream>
#include <functional>
#include <stdexcept>

#include "runtime/base64.hpp"
#include "test/conformance/run.hpp"
#include "test/support/blocking_client.hpp"
#include "test/support/certificates.hpp"
#include "test/support/paths.hpp"

namespace dcm::conformance {
namespace {

namespace json = boost::json;

constexpr const char* kConfigurations =
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

// As kube-apiserver passes it on.
constexpr const char* kAnswer =
    R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":)"
    R"("admission webhook \"w.example.com\" denied the request: configmaps \"policy\" not found",)"
    R"("reason":"NotFound","details":{"name":"policy","kind":"configmaps"},"code":404})";

std::string write(const std::string& name, const std::string& text) {
  std::ofstream(name) << text;
  return name;
}

void await(const char* what, const std::function<bool()>& holds) {
  if (!support::eventually(holds)) throw std::runtime_error(std::string("not in time: ") + what);
}

}  // namespace

Webhook::Webhook(support::Kube& kube, support::Faults& faults, const Scope& scope,
                 const std::string& prefix)
    : kube_(kube), faults_(faults) {
  if (run().server == ServerKind::memory) {
    imitate(scope);
  } else {
    serve(scope, prefix);
  }
}

Webhook::~Webhook() {
  if (server_ == nullptr) {
    faults_.clear();
  } else {
    kube_.remove(configuration_);
  }
}

void Webhook::imitate(const Scope& scope) {
  faults_.add({.method = "DELETE",
               .target = "/namespaces/" + scope.ns + "/" + scope.resource + "/",
               .times = 1'000'000,
               .fault = {.kind = support::FaultKind::answer,
                         .answer = {.status = 404,
                                    .headers = {{"Content-Type", "application/json"}},
                                    .body = kAnswer}}});
}

void Webhook::serve(const Scope& scope, const std::string& prefix) {
  const test::CertificateAuthority authority("webhook");
  const test::Identity identity = authority.issue({.addresses = {"127.0.0.1"}});
  server_ = std::make_unique<support::Process>(support::Process::Command{
      .arguments = {"test/conformance/webhook.py", write(prefix + ".crt", identity.certificate_pem),
                    write(prefix + ".key", identity.key_pem)},
      .environment = {},
      .output = prefix + ".log"});
  std::string url;
  await("the webhook serves", [&] {
    url = support::read_file(prefix + ".log");
    return url.ends_with('\n');
  });
  url.pop_back();
  const std::string name = "missing-policy-" + scope.ns;
  configuration_ = std::string(kConfigurations) + "/" + name;
  const json::object rule{{"apiGroups", json::array{scope.group}},
                          {"apiVersions", json::array{"*"}},
                          {"operations", json::array{"DELETE"}},
                          {"resources", json::array{scope.resource}}};
  const json::object hook{
      {"name", "w.example.com"},
      {"clientConfig", {{"url", url}, {"caBundle", runtime::encode_base64(authority.pem())}}},
      {"rules", json::array{rule}},
      {"namespaceSelector", {{"matchLabels", {{"kubernetes.io/metadata.name", scope.ns}}}}},
      {"sideEffects", "None"},
      {"admissionReviewVersions", json::array{"v1"}}};
  kube_.must_post(kConfigurations, {{"apiVersion", "admissionregistration.k8s.io/v1"},
                                    {"kind", "ValidatingWebhookConfiguration"},
                                    {"metadata", {{"name", name}}},
                                    {"webhooks", json::array{hook}}});
  await("the webhook is in force", [&] {
    const auto answer = kube_.remove(scope.some_path + "?dryRun=All");
    return answer.status == 404 && answer.text.contains("denied the request");
  });
}

}  // namespace dcm::conformance
