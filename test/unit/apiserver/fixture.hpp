// A server on virtual time, and objects to start a test from.
#pragma once

#include <cctype>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "apiserver/front/direct.hpp"
#include "runtime/virtual_time.hpp"

namespace dcm::apiserver {

inline constexpr std::string_view kClaims =
    "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
inline constexpr std::string_view kClaim =
    "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/shared";
inline constexpr std::string_view kClaimStatus =
    "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/shared/status";
inline constexpr std::string_view kPods = "/api/v1/namespaces/default/pods";
inline constexpr std::string_view kPod = "/api/v1/namespaces/default/pods/trainer-0";
inline constexpr std::string_view kPodStatus = "/api/v1/namespaces/default/pods/trainer-0/status";

class Api : public ::testing::Test {
 protected:
  explicit Api(ServerOptions options = {}) : server(time, runtime::Rng(1), std::move(options)) {}

  Answer make_claim(std::string_view extra_metadata = "") {
    return api.post(kClaims, R"({"metadata":{"name":"shared")" + std::string(extra_metadata) +
                                 R"(},"spec":{"devices":{"requests":[{"name":"one","exactly":)"
                                 R"({"deviceClassName":"gpu"}}]}}})");
  }
  // Allocates "shared" and reserves it for the UIDs.
  Answer allocate(const std::vector<std::string>& uids = {}) {
    JsonArray consumers;
    for (const auto& uid : uids) {
      consumers.push_back(JsonObject{{"resource", "pods"}, {"name", "p"}, {"uid", uid}});
    }
    const JsonObject allocation{
        {"devices", JsonObject{{"results", JsonArray{JsonObject{{"request", "one"},
                                                                {"driver", "d"},
                                                                {"pool", "p"},
                                                                {"device", "gpu-0"}}}}}}};
    return api.patch(kClaimStatus, kStrategic,
                     serialize(JsonObject{{"status", JsonObject{{"allocation", allocation},
                                                                {"reservedFor", consumers}}}}));
  }
  Answer make_pod(std::string_view node = "") {
    return api.post(
        kPods,
        R"({"metadata":{"name":"trainer-0","labels":{"app":"trainer"}},"spec":{"nodeName":")" +
            std::string(node) +
            R"(","containers":[{"name":"c","image":"i"}],"resourceClaims":[)"
            R"({"name":"gpus","resourceClaimTemplateName":"t"},)"
            R"({"name":"nic","resourceClaimTemplateName":"t"}]}})");
  }

  std::vector<std::string> reserved_for() {
    const Answer claim = api.get(kClaim);
    std::vector<std::string> uids;
    for (const Json& entry : array_at(claim.body, {"status", "reservedFor"})) {
      uids.emplace_back(text_at(entry.get_object(), {"uid"}));
    }
    return uids;
  }

  runtime::VirtualTime time;
  Server server;
  Direct api{server};
};

// Makes a row's sentence the name of its test.
inline constexpr auto kBySentence = [](const auto& row) {
  std::string name(row.param.sentence);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
};

inline JsonObject object_of(std::string_view text) {
  std::string problem;
  auto json = parse(text, problem);
  EXPECT_TRUE(json && json->is_object()) << problem << ": " << text;
  return json && json->is_object() ? json->get_object() : JsonObject();
}

// Takes all current events of a watch.
inline std::vector<JsonObject> drain(Watch& watch) {
  std::vector<JsonObject> events;
  while (const auto line = watch.next()) {
    EXPECT_EQ(line->back(), '\n');
    events.push_back(object_of(*line));
  }
  return events;
}

// "ADDED trainer-0", …; a bookmark shows its resourceVersion instead.
inline std::vector<std::string> summary(const std::vector<JsonObject>& events) {
  std::vector<std::string> lines;
  for (const JsonObject& event : events) {
    const std::string type(text_at(event, {"type"}));
    const auto* field = type == "BOOKMARK" ? "resourceVersion" : "name";
    const std::string_view what = text_at(event, {"object", "metadata", field});
    lines.push_back(type + " " +
                    std::string(what.empty() ? text_at(event, {"object", "reason"}) : what));
  }
  return lines;
}

}  // namespace dcm::apiserver
