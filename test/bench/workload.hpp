// Fills a cluster for a benchmark, and counts the results.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "test/support/kube.hpp"

namespace dcm::bench {

using support::Kube;
namespace json = boost::json;

// A template `gpus` in `default`, and pods that name it: "<prefix>0", "<prefix>1", …
void create_template(Kube& kube);
void create_pods(Kube& kube, const std::string& prefix, int count, const std::string& node = {});
// The number of claims: one short request.
std::size_t count_claims(Kube& kube);
// How many pods name a claim in their status: lists them all.
std::size_t count_served_pods(Kube& kube);

// Pods "pod-0", … on a node, each with its own claim for a device of driver gpu.example.com, eight
// to a pool, as a scheduler leaves them. Returns the UIDs of the pods.
std::vector<std::string> create_pods_with_devices(Kube& kube, int count);
// A rule that evicts all pods from the devices of that driver.
void create_rule(Kube& kube, const std::string& rule);

// The bodies of an eviction's two writes.
json::value disruption_target_of(const std::string& uid);
json::value delete_options_of(const std::string& uid);

}  // namespace dcm::bench
