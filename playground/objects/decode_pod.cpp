// Pods: the fields that a scheduler and a kubelet read (core/v1 Pod).
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "allocation/json/decode.hpp"
#include "allocation/json/rows.hpp"
#include "client/api/json/decoder.hpp"
#include "controllers/api/json/parts.hpp"
#include "playground/objects/decode.hpp"
#include "playground/objects/decode_pod_parts.hpp"
#include "playground/objects/unknown.hpp"
#include "runtime/one_line.hpp"

namespace dcm::playground {
namespace {

using api::PodPhase;
using api::json::Reader;
using api::json::value;

constexpr std::string_view kDefaultScheduler = "default-scheduler";

void note_misspelt(Pod& pod, std::string_view key, std::string_view text,
                   std::string_view expected) {
  constexpr std::size_t kQuotedBytesMax = 64;
  if (!pod.misspelt.empty()) pod.misspelt += "; ";
  pod.misspelt += fmt::format("annotation {}: \"{}\" is ignored: expected {}", key,
                              runtime::one_line(text.substr(0, kQuotedBytesMax)), expected);
}

// The member for a duration; null: the annotation is another one.
std::optional<Duration>* duration_of(std::string_view key, Pod& pod) {
  if (key == kRunForAnnotation) return &pod.run_for;
  if (key == kStopAfterAnnotation) return &pod.stop_after;
  if (key == kCrashAfterAnnotation) return &pod.crash_after;
  return nullptr;
}

bool read_annotation(Reader& reader, std::string_view key, value field, Pod& pod) {
  if (!key.starts_with(kAnnotationPrefix)) return true;
  std::string_view text;
  if (!reader.view(field, text)) return false;
  if (std::optional<Duration>* const duration = duration_of(key, pod)) {
    *duration = parse_duration(text);
    if (!*duration) note_misspelt(pod, key, text, "a duration such as 90s or 1m30s");
  } else if (key == kFinishAnnotation) {
    const auto phase = phase_of(text);
    if (phase == PodPhase::succeeded || phase == PodPhase::failed) {
      pod.finish = phase;
    } else if (!text.empty()) {
      note_misspelt(pod, key, text, "Succeeded or Failed");
    }
  } else {
    note_misspelt(pod, key, text, "run-for, stop-after, crash-after or finish behind the slash");
  }
  return true;
}

bool read_seconds(Reader& reader, value field, std::chrono::seconds& out) {
  std::int64_t seconds = 0;
  if (!reader.integer(field, seconds)) return false;
  constexpr std::int64_t kMax = std::int64_t{1} << 32;  // longer than anybody waits
  out = std::chrono::seconds(std::clamp(seconds, std::int64_t{0}, kMax));
  return true;
}

bool read_metadata(Reader& reader, value metadata, Pod& pod) {
  return api::json::read_metadata(
      reader, metadata, pod.meta, [&](std::string_view key, value field) {
        if (key == "annotations") {
          return reader.each_field(field, [&](std::string_view name, value part) {
            return read_annotation(reader, name, part, pod);
          });
        }
        if (key == "generation") return reader.integer(field, pod.generation);
        return key != "deletionGracePeriodSeconds" || read_seconds(reader, field, pod.grace);
      });
}

RestartPolicy restart_policy_of(std::string_view text) {
  if (text == "Never") return RestartPolicy::never;
  if (text == "OnFailure") return RestartPolicy::on_failure;
  return RestartPolicy::always;
}

bool read_readiness_gate(Reader& reader, value gate, Pod& pod) {
  return reader.each_field(gate, [&](std::string_view key, value field) {
    return key != "conditionType" || reader.text(field, pod.readiness_gates.emplace_back());
  });
}

// Volumes that tie a pod to nodes, or that are limited per node.
bool must_be_attached(std::string_view source) {
  return source == "persistentVolumeClaim" || source == "ephemeral" || source == "iscsi" ||
         source == "rbd" || source == "gcePersistentDisk" || source == "awsElasticBlockStore" ||
         source == "azureDisk" || source == "cinder";
}

bool read_volume(Reader& reader, value volume, Pod& pod) {
  return reader.each_field(volume, [&](std::string_view key, value) {
    if (must_be_attached(key))
      note_unknown(pod.unsupported, "the volume source " + std::string(key));
    return true;
  });
}

bool read_scheduler(Reader& reader, value field, Pod& pod) {
  std::string_view name;
  if (!reader.view(field, name)) return false;
  pod.is_scheduled_by_others = !name.empty() && name != kDefaultScheduler;
  return true;
}

bool read_node_affinity(Reader& reader, value field, Pod& pod) {
  return reader.each_field(field, [&](std::string_view key, value part) {
    if (key != "requiredDuringSchedulingIgnoredDuringExecution") {
      return note_if_asked(pod.unsupported, "nodeAffinity." + std::string(key), part);
    }
    return allocation::read(reader, part, pod.node_affinity.affinity);
  });
}

bool read_affinity(Reader& reader, value field, Pod& pod) {
  return reader.each_field(field, [&](std::string_view key, value part) {
    if (key == "nodeAffinity") return read_node_affinity(reader, part, pod);
    return note_if_asked(pod.unsupported, key, part);
  });
}

// The small scheduler ignores groups; nodes need to know which group's claims the pod may use.
bool read_scheduling_group(Reader& reader, value group, Pod& pod) {
  return reader.each_field(group, [&](std::string_view key, value field) {
    note_unknown(pod.unsupported, "schedulingGroup");
    return key != "podGroupName" || reader.text(field, pod.scheduling_group);
  });
}

// Fields of the spec that determine the pod's life on its node.
bool is_of_life(std::string_view key) {
  return key == "restartPolicy" || key == "activeDeadlineSeconds" || key == "hostNetwork" ||
         key == "terminationGracePeriodSeconds" || key == "readinessGates";
}

bool read_life(Reader& reader, std::string_view key, value field, Pod& pod) {
  if (api::json::is_null(field)) return true;
  if (key == "hostNetwork") return reader.flag(field, pod.is_on_host_network);
  if (key == "terminationGracePeriodSeconds") {
    return read_seconds(reader, field, pod.termination_grace);
  }
  if (key == "activeDeadlineSeconds") {
    return read_seconds(reader, field, pod.active_deadline.emplace());
  }
  if (key == "readinessGates") {
    return reader.each_item(field,
                            [&](value gate) { return read_readiness_gate(reader, gate, pod); });
  }
  std::string_view policy;
  if (!reader.view(field, policy)) return false;
  pod.restart_policy = restart_policy_of(policy);
  return true;
}

bool read_spec(Reader& reader, value spec, Pod& pod) {
  ResourceReader resources(reader, pod);
  const bool is_read = reader.each_field(spec, [&](std::string_view key, value field) {
    if (key == "nodeName") return reader.text(field, pod.node_name);
    if (key == "nodeSelector") {
      return allocation::read(reader, field, pod.node_affinity.node_selector);
    }
    if (key == "schedulerName") return read_scheduler(reader, field, pod);
    if (key == "tolerations") return allocation::read(reader, field, pod.tolerations);
    if (key == "resourceClaims") {
      return reader.each_item(field, [&](value item) {
        return api::json::read_claim(reader, item, pod.claims.emplace_back());
      });
    }
    if (key == "containers") {
      return reader.each_item(field, [&](value item) {
        return resources.read_container(item, pod.containers.emplace_back());
      });
    }
    if (key == "initContainers") {
      return reader.each_item(field, [&](value item) {
        return resources.read_container(item, pod.init_containers.emplace_back());
      });
    }
    if (key == "volumes") {
      return reader.each_item(field, [&](value item) { return read_volume(reader, item, pod); });
    }
    if (key == "resources") {
      return reader.each_field(field, [&](std::string_view name, value part) {
        return name != "requests" || resources.read_other_amounts(part);
      });
    }
    if (key == "overhead") return resources.read_other_amounts(field);
    if (key == "schedulingGroup") return read_scheduling_group(reader, field, pod);
    if (is_of_life(key)) return read_life(reader, key, field, pod);
    if (key == "affinity") return read_affinity(reader, field, pod);
    if (key == "topologySpreadConstraints") return note_if_asked(pod.unsupported, key, field);
    if (key != "schedulingGates") return true;
    return reader.each_item(field, [&](value) { return pod.has_gates = true; });
  });
  resources.note_large();
  return is_read;
}

struct PodFields {
  bool read_field(Reader& reader, std::string_view key, value field, Pod& pod) const {
    if (key == "metadata") return read_metadata(reader, field, pod);
    if (key == "spec") return read_spec(reader, field, pod);
    if (key == "status") return read_pod_status(reader, field, pod);
    return true;
  }
  bool is_kept(const Pod&) const { return true; }
};

}  // namespace

std::unique_ptr<api::Decoder<Pod>> make_pod_decoder() {
  return std::make_unique<api::json::JsonDecoder<Pod, PodFields>>();
}

}  // namespace dcm::playground
