#include "test/simulation/actor.hpp"

#include <fmt/format.h>

namespace dcm::simulation {

std::string pods_in(const std::string& ns) {
  return kNamespaces + "/" + ns + "/pods";
}
std::string claims_in(const std::string& ns) {
  return "/apis/resource.k8s.io/v1/namespaces/" + ns + "/resourceclaims";
}
std::string templates_in(const std::string& ns) {
  return "/apis/resource.k8s.io/v1/namespaces/" + ns + "/resourceclaimtemplates";
}
std::string groups_in(const std::string& ns) {
  return "/apis/scheduling.k8s.io/v1beta1/namespaces/" + ns + "/podgroups";
}

std::string meta(const std::string& name) {
  return R"("metadata":{"name":")" + name + R"("})";
}

std::string edit(std::uint64_t number) {
  return fmt::format(R"({{"metadata":{{"labels":{{"edit":"{}"}}}}}})", number);
}

std::string delete_only(const std::string& uid, std::string_view more) {
  return fmt::format(R"({{"preconditions":{{"uid":"{}"}}{}}})", uid, more);
}

std::string lease_holder(const apiserver::Server& server) {
  const auto lease = server.store().get("leases", "kube-system/dra-controller-manager");
  return lease == nullptr ? ""
                          : std::string(apiserver::text_at(*lease, {"spec", "holderIdentity"}));
}

void put_into_lease(apiserver::Server& server, std::string_view holder) {
  apiserver::Direct(server, "admin")
      .patch("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/dra-controller-manager",
             apiserver::kMerge, fmt::format(R"({{"spec":{{"holderIdentity":"{}"}}}})", holder));
}

apiserver::Response ActorContext::send(const std::string& who, std::string_view method,
                                       const std::string& target, std::string body,
                                       std::string_view type) const {
  apiserver::Response response =
      apiserver::Direct(server, who)
          .ask(method, target, method == "PATCH" ? type : "application/json", std::move(body));
  if (response.status >= 300 && timeline.is_kept()) {
    timeline.note(who, fmt::format("… refused: {}", apiserver::Answer(response).text({"message"})));
  }
  return response;
}

runtime::Task<> Actor::pause(double seconds_at_most) {
  const auto most = std::chrono::duration_cast<runtime::Duration>(
      std::chrono::duration<double>(seconds_at_most * rng_.unit()));
  return runtime::sleep_for(context_.loop.time(), most);
}

}  // namespace dcm::simulation
