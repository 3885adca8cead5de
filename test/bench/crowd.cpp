#include "test/bench/crowd.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "apiserver/front/http_front.hpp"
#include "apiserver/text/json.hpp"
#include "runtime/assert.hpp"
#include "runtime/task.hpp"

namespace dcm::bench {
namespace {

using namespace apiserver;
using runtime::Result;
using runtime::Task;

constexpr std::size_t kPieceBytes = 256 * 1024;

// A text in the objects below; its last `digits` characters are replaced by a number.
struct Mark {
  std::string_view text;
  std::size_t digits;
  std::size_t (*number_of)(std::size_t device);  // devices are numbered through all nodes
};
constexpr std::size_t kTeams = 20;
constexpr Mark kMarks[] = {
    {"ppppppp", 7, [](std::size_t device) { return device; }},
    {"nnnnnn", 6, [](std::size_t device) { return device / kDevicesPerNode; }},
    {"team-zz", 2, [](std::size_t device) { return device % kTeams; }},
    {"gpu-q", 1, [](std::size_t device) { return device % kDevicesPerNode; }},
};

struct Sample {
  std::string_view resource;
  std::string_view object;
  std::size_t devices = 1;  // of one object
};
constexpr Sample kSamples[] = {
    {"pods", R"({
      "metadata": {"name": "trainer-ppppppp", "namespace": "team-zz", "generation": 1,
                   "uid": "00000000-0000-4000-8000-00000ppppppp",
                   "creationTimestamp": "2026-01-01T00:00:00Z", "labels": {"app": "trainer"}},
      "spec": {
        "nodeName": "node-nnnnnn", "schedulerName": "default-scheduler", "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 30, "serviceAccountName": "default", "priority": 0,
        "containers": [{"name": "main", "image": "registry.example.com/trainer:1",
                        "imagePullPolicy": "IfNotPresent",
                        "resources": {"claims": [{"name": "gpu"}]}}],
        "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "gpus"}],
        "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists",
                         "effect": "NoExecute", "tolerationSeconds": 300}]},
      "status": {
        "phase": "Running", "qosClass": "BestEffort", "startTime": "2026-01-01T00:00:00Z",
        "conditions": [{"type": "PodScheduled", "status": "True",
                        "lastTransitionTime": "2026-01-01T00:00:00Z"},
                       {"type": "Ready", "status": "True",
                        "lastTransitionTime": "2026-01-01T00:00:00Z"}],
        "resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "trainer-ppppppp-gpu"}]}})"},
    {"resourceclaims", R"({
      "metadata": {"name": "trainer-ppppppp-gpu", "namespace": "team-zz",
                   "uid": "00000000-0000-4000-9000-00000ppppppp",
                   "creationTimestamp": "2026-01-01T00:00:00Z",
                   "annotations": {"resource.kubernetes.io/pod-claim-name": "gpu"},
                   "finalizers": ["resource.kubernetes.io/delete-protection"],
                   "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "trainer-ppppppp",
                                        "uid": "00000000-0000-4000-8000-00000ppppppp",
                                        "controller": true, "blockOwnerDeletion": true}]},
      "spec": {"devices": {"requests": [
          {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com",
                                      "allocationMode": "ExactCount", "count": 1}}]}},
      "status": {
        "allocation": {"devices": {"results": [
            {"request": "gpu", "driver": "gpu.example.com", "pool": "node-nnnnnn",
             "device": "gpu-q"}]}},
        "reservedFor": [{"resource": "pods", "name": "trainer-ppppppp",
                         "uid": "00000000-0000-4000-8000-00000ppppppp"}]}})"},
    {"resourceslices", R"({
      "metadata": {"name": "node-nnnnnn-gpu.example.com", "generation": 1,
                   "uid": "00000000-0000-4000-a000-000000nnnnnn",
                   "creationTimestamp": "2026-01-01T00:00:00Z"},
      "spec": {
        "driver": "gpu.example.com", "nodeName": "node-nnnnnn",
        "pool": {"name": "node-nnnnnn", "generation": 1, "resourceSliceCount": 1},
        "devices": [
          {"name": "gpu-0", "attributes": {"model": {"string": "a-100"}}},
          {"name": "gpu-1", "attributes": {"model": {"string": "a-100"}}},
          {"name": "gpu-2", "attributes": {"model": {"string": "a-100"}}},
          {"name": "gpu-3", "attributes": {"model": {"string": "a-100"}}},
          {"name": "gpu-4", "attributes": {"model": {"string": "a-100"}}},
          {"name": "gpu-5", "attributes": {"model": {"string": "a-100"}}},
          {"name": "gpu-6", "attributes": {"model": {"string": "a-100"}}},
          {"name": "gpu-7", "attributes": {"model": {"string": "a-100"}}}]}})",
     kDevicesPerNode},
};

JsonObject parsed(std::string_view text) {
  std::string problem;
  auto value = parse(text, problem);
  DCM_ASSERT(value && value->is_object());
  return std::move(value->get_object());
}

// A text with marks, and where they are.
class Stencil {
 public:
  explicit Stencil(std::string text) : text_(std::move(text)) {
    for (const Mark& mark : kMarks) {
      for (auto at = text_.find(mark.text); at != std::string::npos;
           at = text_.find(mark.text, at + 1)) {
        holes_.push_back({at + mark.text.size(), &mark});
      }
    }
  }

  void append_to(std::string& out, std::size_t device) const {
    const std::size_t start = out.size();
    out += text_;
    for (const auto& [end, mark] : holes_) {
      std::size_t rest = mark->number_of(device);
      for (std::size_t digit = 1; digit <= mark->digits; ++digit, rest /= 10) {
        out[start + end - digit] = static_cast<char>('0' + rest % 10);
      }
    }
  }
  std::string of(std::size_t device) const {
    std::string text;
    append_to(text, device);
    return text;
  }

 private:
  struct Hole {
    std::size_t end;
    const Mark* mark;
  };
  std::string text_;
  std::vector<Hole> holes_;
};

}  // namespace

// The objects of one kind.
class CrowdKind {
 public:
  CrowdKind(const Sample& sample, runtime::TimeSource& time, std::size_t nodes)
      : resource_(sample.resource),
        devices_per_object_(sample.devices),
        restored_(nodes * kDevicesPerNode / sample.devices),
        text_(std::string(sample.object)),
        model_(time, runtime::Rng(1)) {
    model_.restore(resource_, parsed(sample.object));
  }

  std::string_view resource() const { return resource_; }

  // The text of an initial event, as this request wants it; nullopt if it does not want them.
  std::optional<Stencil> event_for(const apiserver::Request& request) {
    const auto watch = model_.open_watch(request);
    if (!watch) return std::nullopt;
    const auto event = (*watch)->next();
    const bool is_object = event && event->contains("ADDED");
    return is_object ? std::optional<Stencil>(*event) : std::nullopt;
  }

  std::size_t size() const { return restored_.size(); }
  bool is_restored(std::size_t index) const { return restored_[index]; }
  std::size_t first_device(std::size_t index) const { return index * devices_per_object_; }

  // Puts the object of that name into the server behind, if it is one of the crowd and not there.
  void restore(const ResourcePath& named, Server& server) {
    const auto first_digit =
        std::ranges::find_if(named.name, [](char c) { return c >= '0' && c <= '9'; });
    std::size_t number = 0;
    for (auto at = first_digit; at != named.name.end() && *at >= '0' && *at <= '9'; ++at) {
      number = std::min(number * 10 + static_cast<std::size_t>(*at - '0'), restored_.size());
    }
    if (number >= restored_.size() || restored_[number]) return;
    JsonObject object = parsed(text_.of(first_device(number)));
    if (text_at(object, {"metadata", "name"}) != named.name) return;
    if (text_at(object, {"metadata", "namespace"}) != named.ns) return;
    restored_[number] = true;
    server.restore(resource_, std::move(object));
  }

 private:
  std::string_view resource_;
  std::size_t devices_per_object_;
  std::vector<bool> restored_;
  Stencil text_;
  Server model_;  // has one object, that of the sample
};

namespace {

// Passes an answer on, with the crowd right after its head.
class WithCrowd final : public http::Responder {
 public:
  WithCrowd(http::Responder& inner, const CrowdKind& kind, Stencil event)
      : inner_(inner), kind_(kind), event_(std::move(event)) {}

  Task<Result<>> send(http::Response response) override { return inner_.send(std::move(response)); }
  Task<Result<>> write(std::string_view piece) override { return inner_.write(piece); }
  Task<Result<>> end() override { return inner_.end(); }
  void abort() override { inner_.abort(); }

  Task<Result<>> begin(http::Response head) override {
    auto sent = co_await inner_.begin(std::move(head));
    std::string piece;
    for (std::size_t index = 0; sent && index < kind_.size(); ++index) {
      if (!kind_.is_restored(index)) event_.append_to(piece, kind_.first_device(index));
      if (piece.size() < kPieceBytes) continue;
      sent = co_await inner_.write(piece);
      piece.clear();
    }
    if (sent && !piece.empty()) sent = co_await inner_.write(piece);
    co_return sent;
  }

 private:
  http::Responder& inner_;
  const CrowdKind& kind_;
  Stencil event_;
};

}  // namespace

Crowd::Crowd(Server& server, runtime::TimeSource& time, std::size_t nodes)
    : server_(server), inner_(http_handler(server, time)) {
  DCM_ASSERT(nodes <= kNodesMax);
  for (const Sample& sample : kSamples) {
    kinds_.push_back(std::make_unique<CrowdKind>(sample, time, nodes));
  }
}

Crowd::~Crowd() = default;

http::Handler Crowd::handler() {
  return [this](http::Request request, http::Responder& responder) {
    return answer(std::move(request), responder);
  };
}

CrowdKind* Crowd::kind_of(std::string_view resource) const {
  const auto found =
      std::ranges::find(kinds_, resource, [](const auto& kind) { return kind->resource(); });
  return found == kinds_.end() ? nullptr : found->get();
}

Task<> Crowd::answer(http::Request request, http::Responder& responder) {
  const apiserver::Request asked = from_http(request);
  const auto path = parse_resource_path(path_segments(asked.path));
  CrowdKind* kind = path ? kind_of(path->resource) : nullptr;
  if (kind != nullptr && !path->name.empty()) kind->restore(*path, server_);
  const bool is_watch = kind != nullptr && path->ns.empty() && Server::is_watch(asked);
  const std::optional<Stencil> event = is_watch ? kind->event_for(asked) : std::nullopt;
  if (!event) {
    co_await inner_(std::move(request), responder);
    co_return;
  }
  WithCrowd with_crowd(responder, *kind, *event);
  co_await inner_(std::move(request), with_crowd);
}

}  // namespace dcm::bench
