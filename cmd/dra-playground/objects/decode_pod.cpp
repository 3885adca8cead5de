// Pods: what a scheduler and a kubelet look at (core/v1 Pod).
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "allocation/json/decode.hpp"
#include "allocation/json/rows.hpp"
#include "client/api/json/decoder.hpp"
#include "cmd/dra-playground/objects/decode.hpp"
#include "cmd/dra-playground/objects/unknown.hpp"
#include "controllers/api/json/parts.hpp"
#include "runtime/one_line.hpp"

namespace dcm::playground {
namespace {

using api::PodPhase;
using api::json::Reader;
using api::json::value;

constexpr std::string_view kDefaultScheduler = "default-scheduler";
constexpr std::string_view kDeletionByDeviceTaint = "DeletionByDeviceTaintManager";

std::optional<PodPhase> phase_of(std::string_view text) {
  if (text.empty() || text == "Pending") return PodPhase::pending;
  if (text == "Running") return PodPhase::running;
  if (text == "Succeeded") return PodPhase::succeeded;
  if (text == "Failed") return PodPhase::failed;
  return std::nullopt;
}

void note_misspelt(Pod& pod, std::string_view key, std::string_view text,
                   std::string_view expected) {
  constexpr std::size_t kQuotedBytesMax = 64;
  if (!pod.misspelt.empty()) pod.misspelt += "; ";
  pod.misspelt += fmt::format("annotation {}: \"{}\" is ignored: expected {}", key,
                              runtime::one_line(text.substr(0, kQuotedBytesMax)), expected);
}

// The place of a duration; null: the annotation is another one.
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
  constexpr std::int64_t kMax = std::int64_t{1} << 32;  // more than anybody waits
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

bool read_claim_use(Reader& reader, value item, ClaimUse& use) {
  return reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "name") return reader.text(field, use.name);
    if (key == "request") return reader.text(field, use.request);
    return true;
  });
}

// What a hollow node has room for in each of its pods (bodies.cpp): more is not scheduled, since
// nobody counts what is left.
constexpr double kCpusMax = 100;
constexpr double kMemoryMax = 100.0 * (1 << 30);

// CPU and memory that a pod asks for in all its containers, be they run together or not.
struct Amounts {
  double cpus = 0;
  double memory = 0;
};

// A quantity ("1500m", "1.5Gi", "1e3"); what is none, is endless.
double amount_of(value field) {
  std::string_view text = field.raw_json_token();
  text.remove_suffix(text.size() - text.find_last_not_of(" \t\r\n") - 1);
  if (text.starts_with('"')) text = text.substr(1, text.size() - 2);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::numeric_limits<double>::infinity();
  const std::string_view suffix(end, text.data() + text.size());
  constexpr std::pair<std::string_view, double> kSuffixes[] = {
      {"", 1},          {"n", 1e-9},      {"u", 1e-6},      {"m", 1e-3},
      {"k", 1e3},       {"M", 1e6},       {"G", 1e9},       {"T", 1e12},
      {"P", 1e15},      {"E", 1e18},      {"Ki", 0x1.0p10}, {"Mi", 0x1.0p20},
      {"Gi", 0x1.0p30}, {"Ti", 0x1.0p40}, {"Pi", 0x1.0p50}, {"Ei", 0x1.0p60}};
  const auto* const found =
      std::ranges::find(kSuffixes, suffix, &std::pair<std::string_view, double>::first);
  return found == std::end(kSuffixes) ? std::numeric_limits<double>::infinity()
                                      : number * found->second;
}

// What nodes offer by device plugins or DRA (KEP-5004), as kube-scheduler tells it by the name.
bool is_extended(std::string_view name) {
  if (name.starts_with("deviceclass.resource.kubernetes.io/")) return true;
  return name.contains('/') && !name.contains("kubernetes.io/") && !name.starts_with("requests.");
}

// The amount that it reads; 0 for what is no whole number. The server sets a request that is left
// out to the limit.
std::int64_t read_amount(std::string_view name, value field, Amounts& asked) {
  const double amount = amount_of(field);
  if (name == "cpu") asked.cpus += amount;
  if (name == "memory") asked.memory += amount;
  constexpr double kWholeMax = 0x1.0p53;
  const bool is_whole = amount >= 0 && amount < kWholeMax && amount == std::floor(amount);
  return is_whole ? static_cast<std::int64_t>(amount) : 0;
}

void note_other_resource(std::string_view name, Pod& pod) {
  if (name != "cpu" && name != "memory") {
    note_unknown(pod.unsupported, "the resource " + std::string(name));
  }
}

void note_large(const Amounts& asked, Pod& pod) {
  if (asked.cpus > kCpusMax) note_unknown(pod.unsupported, "a cpu request of more than 100");
  if (asked.memory > kMemoryMax) {
    note_unknown(pod.unsupported, "a memory request of more than 100Gi");
  }
}

bool read_requests(Reader& reader, value field, Container& container, Amounts& asked, Pod& pod) {
  bool has_extended = false;
  const bool is_read = reader.each_field(field, [&](std::string_view name, value part) {
    if (is_extended(name)) {
      has_extended = true;
    } else {
      note_other_resource(name, pod);
    }
    container.requests.push_back({std::string(name), read_amount(name, part, asked)});
    return true;
  });
  if (!has_extended) container.requests = {};
  std::ranges::sort(container.requests, {}, &ResourceRequest::name);
  return is_read;
}

bool read_resources(Reader& reader, value resources, Container& container, Amounts& asked,
                    Pod& pod) {
  return reader.each_field(resources, [&](std::string_view key, value field) {
    if (key == "requests") return read_requests(reader, field, container, asked, pod);
    if (key != "claims") return true;
    return reader.each_item(field, [&](value item) {
      return read_claim_use(reader, item, container.claims.emplace_back());
    });
  });
}

// Of the pod as a whole, or of its runtime: never extended resources.
bool read_other_amounts(Reader& reader, value amounts, Amounts& asked, Pod& pod) {
  return reader.each_field(amounts, [&](std::string_view name, value part) {
    note_other_resource(name, pod);
    read_amount(name, part, asked);
    return true;
  });
}

// Volumes that tie a pod to nodes, or that a node can have only so many of.
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

// A port of the node is for one pod.
bool read_port(Reader& reader, value port, Pod& pod) {
  return reader.each_field(port, [&](std::string_view key, value field) {
    if (key != "hostPort") return true;
    std::int64_t number = 0;
    if (!reader.integer(field, number)) return false;
    if (number != 0) note_unknown(pod.unsupported, key);
    return true;
  });
}

// A container, or one that comes before them.
bool read_container(Reader& reader, value item, Container& container, Amounts& asked, Pod& pod) {
  return reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "name") return reader.text(field, container.name);
    if (key == "image") return reader.text(field, container.image);
    if (key == "resources") return read_resources(reader, field, container, asked, pod);
    if (key == "restartPolicy") {
      std::string_view policy;
      if (!reader.view(field, policy)) return false;
      container.is_sidecar = policy == "Always";
      return true;
    }
    if (key != "ports") return true;
    return reader.each_item(field, [&](value port) { return read_port(reader, port, pod); });
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

// The small scheduler knows no groups; nodes want to know whose claims the pod may use.
bool read_scheduling_group(Reader& reader, value group, Pod& pod) {
  return reader.each_field(group, [&](std::string_view key, value field) {
    note_unknown(pod.unsupported, "schedulingGroup");
    return key != "podGroupName" || reader.text(field, pod.scheduling_group);
  });
}

// Fields of the spec that say how the pod lives on its node.
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
  Amounts asked;
  const bool is_read = reader.each_field(spec, [&](std::string_view key, value field) {
    if (key == "nodeName") return reader.text(field, pod.node_name);
    if (key == "nodeSelector") {
      return allocation::read(reader, field, pod.node_affinity.node_selector);
    }
    if (key == "schedulerName") return read_scheduler(reader, field, pod);
    if (key == "resourceClaims") {
      return reader.each_item(field, [&](value item) {
        return api::json::read_claim(reader, item, pod.claims.emplace_back());
      });
    }
    if (key == "containers") {
      return reader.each_item(field, [&](value item) {
        return read_container(reader, item, pod.containers.emplace_back(), asked, pod);
      });
    }
    if (key == "initContainers") {
      return reader.each_item(field, [&](value item) {
        return read_container(reader, item, pod.init_containers.emplace_back(), asked, pod);
      });
    }
    if (key == "volumes") {
      return reader.each_item(field, [&](value item) { return read_volume(reader, item, pod); });
    }
    if (key == "resources") {
      return reader.each_field(field, [&](std::string_view name, value part) {
        return name != "requests" || read_other_amounts(reader, part, asked, pod);
      });
    }
    if (key == "overhead") return read_other_amounts(reader, field, asked, pod);
    if (key == "schedulingGroup") return read_scheduling_group(reader, field, pod);
    if (is_of_life(key)) return read_life(reader, key, field, pod);
    if (key == "affinity") return read_affinity(reader, field, pod);
    if (key == "topologySpreadConstraints") return note_if_asked(pod.unsupported, key, field);
    if (key != "schedulingGates") return true;
    return reader.each_item(field, [&](value) { return pod.has_gates = true; });
  });
  note_large(asked, pod);
  return is_read;
}

bool read_claim_status(Reader& reader, value item, api::PodClaimStatus& status) {
  return reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "name") return reader.text(field, status.name);
    if (key != "resourceClaimName") return true;
    std::string_view name;
    if (!reader.view(field, name)) return false;
    if (!name.empty()) status.claim_name.emplace(name);
    return true;
  });
}

bool read_extended_request(Reader& reader, value item, ExtendedRequest& mapping) {
  return reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "containerName") return reader.text(field, mapping.container);
    if (key == "requestName") return reader.text(field, mapping.request);
    return true;
  });
}

bool read_extended_claim(Reader& reader, value status, Pod& pod) {
  return reader.each_field(status, [&](std::string_view key, value field) {
    if (key == "resourceClaimName") return reader.text(field, pod.extended_resource_claim);
    if (key != "requestMappings") return true;
    return reader.each_item(field, [&](value item) {
      return read_extended_request(reader, item, pod.extended_requests.emplace_back());
    });
  });
}

struct ConditionView {
  std::string_view type;
  std::string_view status;
  std::string_view reason;
  std::string message;
  std::optional<runtime::WallTime> since;
};

bool read_condition(Reader& reader, value item, Pod& pod) {
  ConditionView condition;
  const bool is_read = reader.each_field(item, [&](std::string_view key, value field) {
    if (key == "type") return reader.view(field, condition.type);
    if (key == "status") return reader.view(field, condition.status);
    if (key == "reason") return reader.view(field, condition.reason);
    if (key == "lastTransitionTime") return api::json::read_time(reader, field, condition.since);
    if (key == "message") return reader.text(field, condition.message);
    return true;
  });
  if (!is_read) return false;
  pod.conditions.push_back(
      {InternedString(condition.type), condition.status == "True", condition.since});
  if (condition.type == "PodScheduled" && condition.status == "False") {
    pod.unschedulable = std::move(condition.message);
  }
  if (condition.type == "DisruptionTarget" && condition.status == "True") {
    pod.disruption_target = condition.reason == kDeletionByDeviceTaint
                                ? api::DisruptionTarget::by_device_taint
                                : api::DisruptionTarget::other;
  }
  return true;
}

bool read_phase(Reader& reader, value field, Pod& pod) {
  std::string_view text;
  if (!reader.view(field, text)) return false;
  pod.phase = phase_of(text).value_or(PodPhase::unknown);
  return true;
}

bool read_container_status(Reader& reader, value item, Pod& pod) {
  return reader.each_field(item, [&](std::string_view key, value field) {
    if (key != "restartCount") return true;
    std::int64_t restarts = 0;
    if (!reader.integer(field, restarts)) return false;
    pod.restarts = std::max(pod.restarts, restarts);
    return true;
  });
}

bool read_status(Reader& reader, value status, Pod& pod) {
  return reader.each_field(status, [&](std::string_view key, value field) {
    if (key == "phase") return read_phase(reader, field, pod);
    if (key == "podIP") return reader.text(field, pod.ip);
    if (key == "containerStatuses") {
      return reader.each_item(field,
                              [&](value item) { return read_container_status(reader, item, pod); });
    }
    if (key == "startTime") return api::json::read_time(reader, field, pod.start_time);
    if (key == "conditions") {
      return reader.each_item(field, [&](value item) { return read_condition(reader, item, pod); });
    }
    if (key == "extendedResourceClaimStatus") return read_extended_claim(reader, field, pod);
    if (key == "resourceClaimStatuses") {
      const bool is_read = reader.each_item(field, [&](value item) {
        return read_claim_status(reader, item, pod.claim_statuses.emplace_back());
      });
      sort_claim_statuses(pod);
      return is_read;
    }
    return true;
  });
}

struct PodFields {
  bool read_field(Reader& reader, std::string_view key, value field, Pod& pod) const {
    if (key == "metadata") return read_metadata(reader, field, pod);
    if (key == "spec") return read_spec(reader, field, pod);
    if (key == "status") return read_status(reader, field, pod);
    return true;
  }
  bool is_kept(const Pod&) const { return true; }
};

}  // namespace

std::unique_ptr<api::Decoder<Pod>> make_pod_decoder() {
  return std::make_unique<api::json::JsonDecoder<Pod, PodFields>>();
}

}  // namespace dcm::playground
