#include <fmt/format.h>

#include "controllers/common/pod_claims.hpp"
#include "controllers/resource_claim/explain/explain.hpp"

namespace dcm::resource_claim {
namespace {

using common::Input;
using common::Inputs;
using common::Outlook;
using common::Topic;

// The inputs for deciding that a consumer has ended.
Inputs inputs_of(const api::ConsumerReference& consumer) {
  return consumer.is_pod_group() ? Inputs{Input::groups} : Inputs{Input::pods};
}
Inputs inputs_of(const api::ResourceClaim& claim) {
  Inputs inputs{Input::pods};
  for (const api::ConsumerReference& consumer : claim.reserved_for) {
    inputs = inputs | inputs_of(consumer);
  }
  return inputs;
}

// At the start of a sentence.
std::string_view capitalized_word(const api::ConsumerReference& consumer) {
  if (consumer.is_pod()) return "Pod";
  return consumer.is_pod_group() ? "Pod group" : consumer.word();
}

// Answers the look-ups that a worker would send, if a cache miss is already the answer.
ClaimStep next_step(ClaimSnapshot& snapshot, Miss miss) {
  while (true) {
    ClaimStep step = decide_claim(snapshot);
    const auto* get = std::get_if<GetConsumer>(&step);
    if (miss != Miss::gone || get == nullptr) return step;
    snapshot.answers.emplace(get->consumer, Gone{});
  }
}

struct ConsumerWords {
  std::string who;
  Inputs from;
  Topic& topic;

  void operator()(const MayRun& fate) const {
    if (fate.why == MayRun::Why::is_no_pod) {
      return topic.add(Outlook::note, "ReservedForOther",
                       who + " is not a pod: its reservation is kept forever.");
    }
    if (fate.why == MayRun::Why::group_is_there) {
      return topic.add(Outlook::note, "ReservedForGroup",
                       who +
                           " exists, and keeps its reservation until it is deleted, even after "
                           "all its pods have ended.");
    }
    topic.add(Outlook::note, "ReservedForPod",
              who + " may still run, and keeps its reservation until it has ended.");
  }
  void operator()(const WillNotRun& fate) const {
    topic.add({Outlook::acting, from}, "ConsumerEnded",
              who + (fate.why == WillNotRun::Why::is_done
                         ? " has ended: its reservation is removed."
                         : " is gone, and another object has its name: its reservation is "
                           "removed."));
  }
  void operator()(const IsGone& fate) const {
    topic.add({Outlook::acting, from}, "ConsumerGone",
              who + (fate.why == IsGone::Why::can_be_no_name
                         ? " has an invalid name, so it cannot exist: its reservation is removed."
                         : " is gone: its reservation is removed."));
  }
  void operator()(const GetConsumer&) const {
    topic.add(Outlook::acting, "ConsumerUnknown",
              who +
                  " is not in the cache under that UID: the controller asks the API server before "
                  "it removes the reservation.");
  }
  void operator()(const runtime::Error& error) const {
    topic.add(Outlook::stuck, "ConsumerUnknown", who + " could not be looked up: " + error.message);
  }
};

struct OwnerWords {
  const api::ResourceClaim& claim;
  Topic& topic;

  void operator()(const MayRun& fate) const {
    topic.add(Outlook::note, "Generated",
              made_for() + (fate.why == MayRun::Why::runs
                                ? " It is deleted when that pod has ended."
                                : " That pod is not in the cache. If it is gone, Kubernetes' "
                                  "garbage collector deletes the claim."));
  }
  void operator()(const WillNotRun& fate) const {
    topic.add({Outlook::note, {Input::pods}}, "OwnerEnded",
              made_for() + (fate.why == WillNotRun::Why::is_done
                                ? " That pod has ended, so the claim is no longer needed."
                                : " That pod is gone, so the claim is no longer needed."));
  }
  void operator()(const IsGone&) const {
    topic.add({Outlook::note, {Input::pods}}, "OwnerGone",
              made_for() + " That pod is gone: Kubernetes' garbage collector deletes the claim.");
  }
  void operator()(const GetConsumer&) const {
    topic.add(Outlook::note, "OwnerUnknown",
              made_for() +
                  " The cache has another pod of that name: the controller asks the API server.");
  }
  void operator()(const runtime::Error& error) const {
    topic.add(Outlook::stuck, "OwnerUnknown",
              made_for() + " That pod could not be looked up: " + error.message);
  }

  std::string made_for() const {
    if (claim.is_extended_resource_claim) {
      return fmt::format("The scheduler made it for the extended resources of {}.",
                         quoted(*claim.controller));
    }
    if (claim.pod_claim_name.empty())
      return fmt::format("It belongs to {}.", quoted(*claim.controller));
    return fmt::format("It was made for pod claim \"{}\" of {}.", claim.pod_claim_name,
                       quoted(*claim.controller));
  }
};

void explain_owner(const ClaimSnapshot& snapshot, Topic& topic) {
  const api::ResourceClaim& claim = *snapshot.claim;
  if (common::has_pod_as_controller(claim)) {
    std::visit(OwnerWords{claim, topic}, fate_of_owner(snapshot, *claim.controller));
  } else if (claim.controller) {
    topic.add(Outlook::note, "OwnedByOther",
              fmt::format("It belongs to {}: this controller reserves and releases it, and never "
                          "deletes it.",
                          quoted(*claim.controller)));
  } else {
    topic.add(Outlook::note, "UserClaim",
              "A user or a program made it: this controller reserves and releases it, and never "
              "deletes it.");
  }
}

void explain_allocation(const api::ResourceClaim& claim, Topic& topic) {
  if (claim.is_allocated) {
    return topic.add({Outlook::fine, {}}, "Allocated",
                     fmt::format("It is allocated: {}.", describe_devices(claim)));
  }
  if (claim.meta.is_being_deleted) return;
  topic.add(Outlook::waiting, "NotAllocated",
            "No device is allocated to it. The scheduler allocates devices when it places the "
            "first pod with this claim.");
}

struct StepWords {
  Topic& topic;

  void operator()(const EndClaimRound& step) const {
    if (step.failure) {
      return topic.add(Outlook::stuck, "LookupFailed",
                       "A look-up failed: " + step.failure->error.message);
    }
    topic.add({Outlook::fine, {}}, "NothingToDo", "There is nothing to do for the claim now.");
  }
  void operator()(const GetConsumer& step) const {
    const auto& [kind, name] = step.consumer;
    const bool is_pod = kind == ConsumerName::Kind::pod;
    topic.add(
        Outlook::acting, is_pod ? "GetPod" : "GetGroup",
        fmt::format("Next: ask the API server for {} \"{}\".", is_pod ? "pod" : "pod group", name));
  }
  void operator()(const Release& step) const {
    const bool clears = step.allocation == api::Allocation::clear;
    if (step.released.empty()) {
      return topic.add(Outlook::acting, "Deallocate", "Next: release its devices.");
    }
    topic.add(Outlook::acting, "Release",
              fmt::format("Next: remove {}{}.", common::count(step.released.size(), "reservation"),
                          clears ? ", and release its devices with the last one" : ""));
  }
  void operator()(const RemoveFinalizer&) const {
    topic.add(Outlook::acting, "RemoveFinalizer",
              "Next: remove the finalizer that blocks its deletion.");
  }
  void operator()(const DeleteClaim&) const {
    topic.add(Outlook::acting, "Delete", "Next: delete it, because its pod no longer needs it.");
  }
};

}  // namespace

std::string quoted(const api::ResourceClaim& claim) {
  return fmt::format("ResourceClaim \"{}\"", claim.meta.key.name);
}

std::string describe_consumers(const api::ResourceClaim& claim) {
  if (claim.reserved_for.empty()) return "no consumer";
  std::vector<std::string> names;
  for (const api::ConsumerReference& consumer : claim.reserved_for) {
    names.push_back(fmt::format("{} \"{}\"", consumer.word(), consumer.name));
  }
  return common::enumerate(names);
}

std::string quoted(const api::ControllerRef& owner) {
  return fmt::format("{} \"{}\" (UID {})", owner.kind == "Pod" ? "pod" : owner.kind.str(),
                     owner.name, owner.uid.str());
}

std::string describe_use(const api::ResourceClaim& claim) {
  return fmt::format(
      "{}, and reserved for {}",
      claim.is_allocated ? "allocated (" + describe_devices(claim) + ")" : "not allocated",
      describe_consumers(claim));
}

std::string describe_devices(const api::ResourceClaim& claim) {
  if (claim.devices.empty()) return "no device";
  std::vector<std::string> names;
  for (const api::AllocatedDevice& device : claim.devices) names.push_back(device.id.str());
  return common::enumerate(names);
}

void explain_consumers(ClaimSnapshot snapshot, Miss miss, Topic& topic) {
  constexpr std::size_t kExplainedMax = 20;
  const api::ResourceClaim& claim = *snapshot.claim;
  if (claim.reserved_for.empty()) {
    return topic.add(Outlook::note, "ReservedForNobody", "It has no reservation.");
  }
  topic.add(Outlook::note, "ReservedFor",
            fmt::format("It is reserved for {} of at most {} consumers.", claim.reserved_for.size(),
                        api::kReservedForMax));
  std::size_t explained = 0;
  for (const api::ConsumerReference& consumer : claim.reserved_for) {
    if (explained++ == kExplainedMax) {
      topic.add_more("MoreConsumers", claim.reserved_for.size() - kExplainedMax);
      break;
    }
    Fate fate = fate_of_consumer(snapshot, consumer);
    if (miss == Miss::gone && std::holds_alternative<GetConsumer>(fate)) {
      fate = IsGone{IsGone::Why::no_such_object};
    }
    const std::string who = fmt::format("{} \"{}\" (UID {})", capitalized_word(consumer),
                                        consumer.name, consumer.uid.str());
    std::visit(ConsumerWords{who, inputs_of(consumer), topic}, fate);
  }
}

void explain_deletion(const ClaimSnapshot& snapshot, Topic& topic) {
  const api::ResourceClaim& claim = *snapshot.claim;
  if (!claim.meta.is_being_deleted) return;
  if (!claim.reserved_for.empty()) {
    return topic.add(
        Outlook::waiting, "DeletionHeldByConsumers",
        fmt::format("{} is being deleted, and remains until its consumers have ended: {}.",
                    quoted(claim), describe_consumers(claim)));
  }
  if (claim.has_delete_protection) {
    return topic.add(Outlook::acting, "DeletionUnderWay",
                     fmt::format("{} is being deleted and no longer in use: its devices are "
                                 "released, and its finalizer is removed.",
                                 quoted(claim)));
  }
  topic.add(Outlook::stuck, "DeletionHeldByOthers",
            fmt::format("{} is being deleted, and another controller's finalizer keeps it: look at "
                        "its metadata.finalizers. There is nothing to do for it here.",
                        quoted(claim)));
}

std::vector<Topic> explain_claim(ClaimSnapshot snapshot, Miss miss) {
  const ClaimStep step = next_step(snapshot, miss);
  const Inputs inputs = inputs_of(*snapshot.claim);
  Topic about{.title = quoted(*snapshot.claim)};
  explain_deletion(snapshot, about);
  explain_owner(snapshot, about);
  explain_allocation(*snapshot.claim, about);
  explain_consumers(snapshot, miss, about);
  Topic next{.title = "resourceclaim-controller"};
  std::visit(StepWords{next}, step);
  next.rest_on(inputs);
  return {std::move(about), std::move(next)};
}

}  // namespace dcm::resource_claim
