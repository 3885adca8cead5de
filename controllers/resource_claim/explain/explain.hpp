// Explains pods, claims and pod groups in sentences: what each waits for, and the next step.
//
// Pure, based on the workers' snapshots and decisions (decide_pod.hpp, decide_claim.hpp).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/common/explanation.hpp"
#include "controllers/resource_claim/rules/decide_claim.hpp"
#include "controllers/resource_claim/rules/decide_pod.hpp"

namespace dcm::resource_claim {

// The meaning of a look-up without a result.
enum class Miss : std::uint8_t {
  unknown,  // a cache may be stale, and has no pods without claims: the API server would be asked
  gone,     // everything was just read from the API server
};
// The snapshot of a claim that a pod refers to.
using SnapshotOf = std::function<ClaimSnapshot(const ClaimPtr&)>;

// "3 pods with claims, being deleted".
std::string describe(const api::PodGroup& group, std::size_t pods);

// Snapshots of pods and groups must be fresh: without answers.

// A topic for each pod claim, one for extended resources, and one for the next step.
std::vector<common::Topic> explain_pod(PodSnapshot snapshot, const common::FeatureGates& gates,
                                       Miss miss, const SnapshotOf& snapshot_of);
// The claim, its consumers, and the next step. Requires a claim.
std::vector<common::Topic> explain_claim(ClaimSnapshot snapshot, Miss miss);
// A topic for each of the group's claims, and one for the next step.
std::vector<common::Topic> explain_group(GroupSnapshot snapshot, const common::FeatureGates& gates,
                                         Miss miss);

// Two concurrent managers create two claims for one pod claim. The manager repairs what it safely
// can (it points the pod's status to the claim in use), and deletes no claim whose pod may still
// start. So this explains what happened, and gives the command that repairs it.
//
// Adds a finding if `claim` was made for one of the pod's claims, and the pod uses another.
void explain_surplus(const PodSnapshot& snapshot, const common::FeatureGates& gates,
                     const api::ResourceClaim& claim, common::Topic& topic);

// ---- parts of explanations ---------------------------------------------------------------------

// "trainer-0", "a, b and 4 more (of 256 at most)", "no consumer".
std::string describe_consumers(const api::ResourceClaim& claim);
// "ResourceClaim \"x\""
std::string quoted(const api::ResourceClaim& claim);
// "pod \"trainer-0\" (UID …)"
std::string quoted(const api::ControllerRef& owner);
// "allocated (gpu.example.com/node-a/gpu-0), and reserved for trainer-0"
std::string describe_use(const api::ResourceClaim& claim);
// "gpu.example.com/node-a/gpu-0, …"; "no device" for an allocation without any.
std::string describe_devices(const api::ResourceClaim& claim);

// Explains each consumer of the claim, and what happens to its reservation.
void explain_consumers(ClaimSnapshot snapshot, Miss miss, common::Topic& topic);
// Why a claim still exists during its deletion.
void explain_deletion(const ClaimSnapshot& snapshot, common::Topic& topic);

// ---- for a pod or a group, which is `word` -----------------------------------------------------

// Answers the look-ups that a worker would send, if a cache miss is already the answer.
void answer_look_ups(KnownClaims& known, const std::vector<std::string_view>& names);
void explain_create(const api::PodClaim& pod_claim, const CreateClaim& step, common::Topic& topic);
void explain_missing_template(const api::PodClaim& pod_claim, const api::ClaimUser& user,
                              std::string_view word, common::Topic& topic);
// The next step of the worker.
void explain_step(const PodStep& step, std::string_view word, common::Topic& topic);

// ---- for a pod ---------------------------------------------------------------------------------

// The arguments that the functions below share.
struct PodView {
  const PodSnapshot& snapshot;
  const common::FeatureGates& gates;
  const SnapshotOf& snapshot_of;

  const api::Pod& pod() const { return *snapshot.pod; }
  std::string_view namespace_() const { return pod().meta.key.namespace_; }
};
// How far the pod is from using the claim's devices. The claim must exist and be usable by the pod.
// `pod_claim` is blank for extended resources.
void explain_use(const PodView& view, const api::PodClaim& pod_claim, const ClaimPtr& claim,
                 common::Topic& topic);
// Adds a finding for each claim besides `used` that was created for the pod claim.
void explain_surplus_claims(const PodSnapshot& snapshot, const api::PodClaim& pod_claim,
                            const api::ResourceClaim& used, common::Topic& topic);

}  // namespace dcm::resource_claim
