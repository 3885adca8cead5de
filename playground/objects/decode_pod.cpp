// Pods: the fields that a scheduler and a kubelet read (core/v1 Pod).
#include <algorithm>

#include <fmt/format.h>

#include "allocation/json/decode.hpp"
#include "client/api/json/decoder.hpp"
#include "controllers/api/fields/parts.hpp"
#include "options/value.hpp"
#include "playground/objects/decode.hpp"
#include "playground/objects/decode_pod_parts.hpp"
#include "playground/objects/unknown.hpp"
#include "runtime/one_line.hpp"
#include "runtime/timestamp.hpp"

namespace dcm::playground {
namespace {

using api::at;
using api::each;
using api::items;
using api::one;
using api::PodPhase;
using api::row;
using api::rows;
using api::Word;
using api::json::Source;

constexpr std::string_view kDefaultScheduler = "default-scheduler";

void note_misspelt(Pod& pod, std::string_view key, std::string_view text,
                   std::string_view expected) {
  constexpr std::size_t kQuotedBytesMax = 64;
  if (!pod.misspelt.empty()) pod.misspelt += "; ";
  pod.misspelt += fmt::format("annotation {}: \"{}\" is ignored: expected {}", key,
                              runtime::one_line(text.substr(0, kQuotedBytesMax)), expected);
}

// The member for a duration; null: another annotation.
std::optional<Duration>* duration_of(std::string_view key, Pod& pod) {
  if (key == kRunForAnnotation) return &pod.run_for;
  if (key == kStopAfterAnnotation) return &pod.stop_after;
  if (key == kCrashAfterAnnotation) return &pod.crash_after;
  return nullptr;
}

bool read_annotation(std::string_view key, const Source& from, Pod& pod) {
  if (!key.starts_with(kAnnotationPrefix)) return true;
  std::string_view text;
  if (!from.text(text)) return false;
  if (std::optional<Duration>* const duration = duration_of(key, pod)) {
    *duration = options::parse_duration(text);
    if (!*duration) note_misspelt(pod, key, text, "a duration such as 90s or 1m30s");
  } else if (key == kFinishAnnotation) {
    PodPhase phase{};
    from_word(text, phase);
    if (phase == PodPhase::succeeded || phase == PodPhase::failed) {
      pod.finish = phase;
    } else if (!text.empty()) {
      note_misspelt(pod, key, text, "Succeeded or Failed");
    }
  } else {
    note_misspelt(pod, key, text, "run-for, stop-after, crash-after or finish after the slash");
  }
  return true;
}

template <class Member>
constexpr auto seconds(Member member) {
  return one<std::optional<std::int64_t>>([member](std::optional<std::int64_t> read, Pod& pod) {
    if (read) pod.*member = runtime::bounded_seconds(std::max(*read, std::int64_t{0}));
  });
}

constexpr auto kMetadata = api::metadata(row<"annotations">(rows().otherwise(&read_annotation)),
                                         row<"generation">(&Pod::generation),
                                         row<"deletionGracePeriodSeconds">(seconds(&Pod::grace)));

void set_restart_policy(Word policy, Pod& pod) {
  using enum RestartPolicy;
  pod.restart_policy = policy == "Never" ? never : policy == "OnFailure" ? on_failure : always;
}

bool read_readiness_gate(const Source& from, Pod& pod) {
  return from.read(pod.readiness_gates.emplace_back());
}

// Volumes that tie a pod to nodes, or that are limited per node.
bool must_be_attached(std::string_view source) {
  return source == "persistentVolumeClaim" || source == "ephemeral" || source == "iscsi" ||
         source == "rbd" || source == "gcePersistentDisk" || source == "awsElasticBlockStore" ||
         source == "azureDisk" || source == "cinder";
}

bool note_volume(std::string_view key, const Source&, Pod& pod) {
  if (must_be_attached(key)) note_unknown(pod.unsupported, "the volume source " + std::string(key));
  return true;
}

void set_scheduler(Word name, Pod& pod) {
  pod.is_scheduled_by_others = !name.empty() && name != kDefaultScheduler;
}

bool note_unsupported(std::string_view key, const Source& from, Pod& pod) {
  return note_if_asked(pod.unsupported, key, from.from());
}

bool note_node_affinity(std::string_view key, const Source& from, Pod& pod) {
  return note_if_asked(pod.unsupported, "nodeAffinity." + std::string(key), from.from());
}

constexpr auto required_affinity() {
  return at(&Pod::node_affinity, &allocation::RequiredNodeAffinity::affinity);
}

constexpr auto kAffinity =
    rows(row<"nodeAffinity">(
             rows(row<"requiredDuringSchedulingIgnoredDuringExecution">(required_affinity()))
                 .otherwise(&note_node_affinity)))
        .otherwise(&note_unsupported);

// The small scheduler ignores groups; nodes need to know which group's claims the pod may use.
bool read_group(std::string_view key, const Source& from, Pod& pod) {
  note_unknown(pod.unsupported, "schedulingGroup");
  return key != "podGroupName" || from.read(pod.scheduling_group);
}

bool note_spread(const Source& from, Pod& pod) {
  return note_unsupported("topologySpreadConstraints", from, pod);
}

void note_gate(api::Unread, Pod& pod) {
  pod.has_gates = true;
}

// The spec, apart from its containers.
constexpr auto kSpec = rows(
    row<"nodeName">(&Pod::node_name),
    row<"nodeSelector">(at(&Pod::node_affinity, &allocation::RequiredNodeAffinity::node_selector)),
    row<"affinity">(kAffinity), row<"tolerations">(&Pod::tolerations),
    row<"schedulerName">(one<Word>(set_scheduler)), row<"priority">(&Pod::priority),
    row<"schedulingGates">(each<api::Unread>(note_gate)),
    row<"schedulingGroup">(rows().otherwise(&read_group)), row<"resourceClaims">(api::pod_claims()),
    row<"volumes">(items(rows().otherwise(&note_volume))),
    row<"topologySpreadConstraints">(&note_spread),
    // Fields that affect its life on a node.
    row<"hostNetwork">(&Pod::is_on_host_network),
    row<"restartPolicy">(one<Word>(set_restart_policy)),
    row<"terminationGracePeriodSeconds">(seconds(&Pod::termination_grace)),
    row<"activeDeadlineSeconds">(seconds(&Pod::active_deadline)),
    row<"readinessGates">(items(rows(row<"conditionType">(&read_readiness_gate)))));

bool read_spec(const Source& from, Pod& pod) {
  ResourceReader resources(pod);
  const auto amounts = [&](const Source& part, Pod&) { return resources.read_other_amounts(part); };
  const auto containers = [&](std::vector<Container> Pod::* member) {
    return [&resources, member](const Source& part, Pod& out) {
      return part.each_item([&](const Source& item) {
        return resources.read_container(item, (out.*member).emplace_back());
      });
    };
  };
  const auto asking =
      rows(row<"containers">(containers(&Pod::containers)),
           row<"initContainers">(containers(&Pod::init_containers)),
           row<"resources">(rows(row<"requests">(amounts))), row<"overhead">(amounts));
  const bool is_read = read_fields(from, pod, asking + kSpec);
  resources.note_large();
  return is_read;
}

}  // namespace

constexpr auto fields_of(const Pod*) {
  return rows(row<"metadata">(kMetadata), row<"spec">(&read_spec), row<"status">(&read_pod_status));
}

std::unique_ptr<api::Decoder<Pod>> make_pod_decoder() {
  return api::json::make_decoder<Pod>(api::TableFields<Pod>());
}

}  // namespace dcm::playground
