#include "controllers/resource_claim/explain/describe.hpp"

#include <fmt/format.h>

namespace dcm::resource_claim {
namespace {

std::string_view words(Outcome outcome) {
  switch (outcome.kind()) {
    case Outcome::Kind::done:
      return "no retry";
    case Outcome::Kind::retry:
      return "retry";
    case Outcome::Kind::requeue_after:
      return "retry slowly";
    case Outcome::Kind::set_aside:
      return "when woken";
  }
  return "";
}

std::string_view words(Problem::Report report) {
  switch (report) {
    case Problem::Report::failed_creation_event:
      return "FailedResourceClaimCreation";
    case Problem::Report::failed_reservation_event:
      return "FailedResourceClaimReservation";
    case Problem::Report::log:
      return "log";
    case Problem::Report::detail:
      return "detail";
  }
  return "";
}

// The words for the steps of pods, and for those of groups.
struct PodStepWords {
  std::string operator()(const EndRound& step) const {
    std::string text = "finished";
    for (const Problem& problem : step.problems) {
      text += fmt::format("; {}: {} ({})", words(problem.report), problem.message,
                          words(problem.outcome));
    }
    return text;
  }
  std::string operator()(const GetClaim& step) const { return "get claim " + step.name; }
  std::string operator()(const CreateClaim& step) const {
    return fmt::format("create {} for {} from {}{}{}", step.name, step.pod_claim,
                       step.claim_template->meta.key.name, step.replaces.empty() ? "" : ", as ",
                       step.replaces);
  }
  std::string operator()(const WriteNames& step) const {
    std::string text = "write names";
    for (const ClaimName& name : step.names) {
      text += fmt::format(" {}={}", name.pod_claim, name.claim);
    }
    return text;
  }
  std::string operator()(const Reserve& step) const {
    return fmt::format("reserve {} for {}{} {}", step.claim->meta.key.name,
                       step.consumer.is_pod() ? "" : "pod group ", step.consumer.name,
                       step.consumer.uid.str());
  }
};

struct ClaimStepWords {
  std::string operator()(const EndClaimRound& step) const {
    return step.failure ? "finished; " + step.failure->error.message : "finished";
  }
  std::string operator()(const GetConsumer& step) const {
    const auto& [kind, name] = step.consumer;
    return (kind == ConsumerName::Kind::pod ? "get pod " : "get pod group ") + name.str();
  }
  std::string operator()(const Release& step) const {
    std::string text = "release";
    for (const api::Uid& uid : step.released) text += " " + uid.str();
    if (step.allocation == api::Allocation::clear) text += ", deallocate";
    return text;
  }
  std::string operator()(const RemoveFinalizer&) const { return "remove finalizer"; }
  std::string operator()(const DeleteClaim&) const { return "delete"; }
};

}  // namespace

std::string describe(const PodStep& step) {
  return std::visit(PodStepWords{}, step);
}

std::string describe(const GroupStep& step) {
  return std::visit(PodStepWords{}, step);
}

std::string describe(const ClaimStep& step) {
  return std::visit(ClaimStepWords{}, step);
}

}  // namespace dcm::resource_claim
