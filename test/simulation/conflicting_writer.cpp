#include "test/simulation/conflicting_writer.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "test/simulation/groups.hpp"

namespace dcm::simulation {
namespace {

constexpr const char* kEdit = R"({"metadata":{"labels":{"edit":"in-between"}}})";

// "…/namespaces/lab/pods/web-0/status" with collection "pods": "lab/web-0". Empty for other paths.
std::string key_in(std::string_view path, std::string_view collection) {
  const std::size_t ns = path.find("/namespaces/");
  const std::string marker = fmt::format("/{}/", collection);
  const std::size_t at = path.find(marker);
  if (ns == path.npos || at == path.npos || at < ns) return {};
  const std::size_t ns_begin = ns + std::string_view("/namespaces/").size();
  std::string_view name = path.substr(at + marker.size());
  name = name.substr(0, name.find('/'));
  return fmt::format("{}/{}", path.substr(ns_begin, at - ns_begin), name);
}

}  // namespace

void ConflictingWriter::write_before(std::string_view path, std::string_view body) {
  if (path.ends_with("/resourceclaims")) return change_owner_of_new_claim(body);
  if (const Claim* claim = context_.cluster.claim(key_in(path, "resourceclaims"))) {
    return change_claim(Claim(*claim));
  }
  if (const Pod* pod = context_.cluster.pod(key_in(path, "pods"))) return change_pod(Pod(*pod));
  if (const Group* group = context_.cluster.group(key_in(path, "podgroups"))) {
    return change_group(Group(*group));
  }
  constexpr std::string_view kRulesPrefix = "/devicetaintrules/";
  const std::size_t at = path.find(kRulesPrefix);
  if (at == path.npos) return;
  std::string_view name = path.substr(at + kRulesPrefix.size());
  name = name.substr(0, name.find('/'));
  const auto rule = context_.cluster.rules.find(std::string(name));
  if (rule != context_.cluster.rules.end()) change_rule(Rule(rule->second));
}

// A waiting consumer: an unscheduled pod, or a group without any scheduled pod.
const Consumer* ConflictingWriter::find_waiting_consumer(const Claim& claim) const {
  const auto waits = [&](const Consumer& consumer) {
    if (consumer.is_group()) return !scheduler_.has_bound_pods(claim.ns, consumer.name);
    const Pod* pod = context_.cluster.find_pod(consumer.uid);
    return pod != nullptr && pod->node.empty() && !pod->is_done();
  };
  const auto found = std::ranges::find_if(claim.reserved_for, waits);
  return found == claim.reserved_for.end() ? nullptr : &*found;
}

void ConflictingWriter::change_claim(const Claim& claim) {
  const std::string target = claims_in(claim.ns) + "/" + claim.name;
  const Consumer* waiting = find_waiting_consumer(claim);
  if (waiting != nullptr && chance(0.7)) return scheduler_.unreserve(claim, waiting->uid);
  if (chance(0.2)) {
    context_.send("user", "DELETE", target, "");
  } else {
    context_.send("user", "PATCH", target, kEdit);
  }
}

void ConflictingWriter::change_pod(const Pod& pod) {
  const std::string target = pods_in(pod.ns) + "/" + pod.name;
  switch (rng_.below(5)) {
    case 0:
      return replace_pod(pod);
    case 1:
      context_.send("user", "DELETE", target, "");
      return;
    case 2:
      if (pod.node.empty() || pod.has_ended()) return;
      context_.send("kubelet", "PATCH", target + "/status", R"({"status":{"phase":"Failed"}})");
      return;
    default:
      context_.send("user", "PATCH", target, kEdit);
  }
}

// Replaces the pod by another one of the same name.
void ConflictingWriter::replace_pod(const Pod& pod) {
  const std::string target = pods_in(pod.ns) + "/" + pod.name;
  context_.send("user", "DELETE", target, delete_only(pod.uid, R"(,"gracePeriodSeconds":0)"));
  context_.send(
      "user", "POST", pods_in(pod.ns),
      fmt::format(R"({{{},"spec":{{"containers":[{{"name":"c","image":"i"}}],)"
                  R"("resourceClaims":[{{"name":"c0","resourceClaimTemplateName":"t0"}}]}}}})",
                  meta(pod.name)));
}

void ConflictingWriter::change_group(const Group& group) {
  const std::string target = groups_in(group.ns) + "/" + group.name;
  if (chance(0.4)) {
    context_.send("user", "PATCH", target, kEdit);
  } else if (chance(0.3)) {
    context_.send("user", "DELETE", target, "");
  } else {
    force_out(context_, group);
    if (chance(0.7)) make_group(context_, group.ns, group.name, group.claims);
  }
}

void ConflictingWriter::change_rule(const Rule& rule) {
  const std::string target = kRules + "/" + rule.name;
  if (chance(0.3)) {
    context_.send("admin", "DELETE", target, "");
  } else {
    context_.send("admin", "PATCH", target,
                  fmt::format(R"({{"spec":{{"taint":{{"effect":"{}"}}}}}})",
                              rule.taint.effect == "NoExecute" ? "NoSchedule" : "NoExecute"));
  }
}

void ConflictingWriter::change_owner_of_new_claim(std::string_view body) {
  // In either format, it contains no other UID.
  const auto is_owner = [&](const auto& entry) { return body.contains(entry.second.uid); };
  const auto pod = std::ranges::find_if(context_.cluster.pods, is_owner);
  if (pod != context_.cluster.pods.end()) return change_pod(Pod(pod->second));
  const auto group = std::ranges::find_if(context_.cluster.groups, is_owner);
  if (group != context_.cluster.groups.end()) change_group(Group(group->second));
}

}  // namespace dcm::simulation
