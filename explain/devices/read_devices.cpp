#include "explain/devices/read_devices.hpp"

#include <memory>
#include <string>
#include <utility>

#include "allocation/json/decode.hpp"
#include "client/discovery/discovery.hpp"
#include "client/request/typed.hpp"
#include "controllers/api/decoders.hpp"
#include "controllers/api/resources.hpp"
#include "explain/devices/asking_pod.hpp"
#include "explain/devices/explain_devices.hpp"

namespace dcm::explain {
namespace {

using allocation::Claim;
using client::Served;
using common::Known;
using common::Topic;
using common::Unknown;
using runtime::Result;
using runtime::Task;

// One pass over the inputs of allocation. The first failure ends it.
class DeviceReading {
 public:
  DeviceReading(client::RestClient& rest, Names names, runtime::Deadline deadline,
                std::size_t list_bytes_max)
      : rest_(rest),
        names_(names),
        deadline_(deadline),
        list_bytes_max_(list_bytes_max),
        discovery_(rest) {}

  // Whether everything was read.
  Task<bool> run() {
    const bool is_served = co_await find_version();
    if (!is_served) co_return false;
    // First what a manager may not be permitted to read, and last what is largest.
    bool is_read = co_await list(api::kDeviceClasses, served_,
                                 allocation::make_device_class_decoder(), devices_.classes);
    if (!is_read) co_return false;
    is_read = co_await list(api::kNodes, client::kCoreV1, allocation::make_node_decoder(),
                            devices_.nodes);
    if (!is_read) co_return false;
    is_read = co_await read_rules();
    if (!is_read) co_return false;
    is_read = co_await list(api::kResourceSlices, served_, allocation::make_slice_decoder(),
                            devices_.slices);
    if (!is_read) co_return false;
    co_return co_await list(api::kResourceClaims, served_, allocation::make_claim_decoder(),
                            devices_.claims);
  }

  Task<api::ObjectPtr<AskingPod>> get_pod(api::NamespacedName key) {
    const auto decoder = make_asking_pod_decoder();
    client::TypedClient<AskingPod> pods(rest_, client::resource_of(api::kPods, client::kCoreV1),
                                        *decoder);
    const auto pod = co_await pods.get(std::move(key), options());
    if (pod) co_return pod->object;
    why_ = "Pod: " + pod.error().message;
    co_return nullptr;
  }

  ListedDevices take() { return std::move(devices_); }
  const std::string& why() const { return why_; }

 private:
  // These requests go after the controllers' own.
  client::CallOptions options() const {
    return {.priority = client::PriorityLevel::backlog,
            .deadline = deadline_,
            .retries = client::Retries::none};
  }

  Task<bool> find_version() {
    const client::Availability found =
        co_await discovery_.find({&api::kResourceClaims, &api::kResourceSlices}, deadline_);
    const Result<Served> served = client::served_of(found);
    if (served) {
      served_ = *served;
    } else {
      why_ = served.error().message;
    }
    co_return served.has_value();
  }

  // Rules that are not served taint nothing.
  Task<bool> read_rules() {
    const client::Availability found =
        co_await discovery_.find({&api::kDeviceTaintRules}, deadline_);
    if (const auto* const unknown = std::get_if<client::Unknown>(&found)) {
      why_ = "DeviceTaintRules: " + unknown->error.message;
      co_return false;
    }
    const auto* const served = std::get_if<Served>(&found);
    if (served == nullptr) co_return true;
    co_return co_await list(api::kDeviceTaintRules, *served, api::make_json_rule_decoder(),
                            devices_.rules);
  }

  template <class T>
  Task<bool> list(const api::ResourceKind& kind, Served served,
                  std::unique_ptr<api::Decoder<T>> decoder, Shared<T>& out) {
    client::TypedClient<T> typed(rest_, client::resource_of(kind, served), *decoder);
    auto listed = co_await typed.list_all("", options(), list_bytes_max_);
    if (!listed) {
      // A decoding error names the object, which may be in another namespace.
      const bool is_told = names_ == Names::all || kind.scope == api::Scope::cluster ||
                           listed.error().reason != runtime::Reason::malformed;
      why_ = std::string(kind.kind) +
             " objects: " + (is_told ? listed.error().message : "one of them cannot be read");
      if (listed.error().reason == runtime::Reason::body_too_large) {
        why_ += ", and the command `dra-controller-manager explain` may read more";
      }
      co_return false;
    }
    out.reserve(listed->size());
    for (auto& each : *listed) out.push_back(std::move(each.object));
    co_return true;
  }

  client::RestClient& rest_;
  Names names_;
  runtime::Deadline deadline_;
  std::size_t list_bytes_max_;
  client::Discovery discovery_;
  Served served_;
  ListedDevices devices_;
  std::string why_;
};

}  // namespace

Task<Known<std::optional<Topic>>> read_devices(client::RestClient& rest, runtime::TimeSource& time,
                                               Subject subject, Names names,
                                               runtime::Deadline deadline, DeviceLimits limits) {
  DeviceReading reading(rest, names, deadline, limits.list_bytes_max);
  api::ObjectPtr<AskingPod> pod;
  bool is_read = co_await reading.run();
  if (is_read && subject.kind == Subject::Kind::pod) {
    pod = co_await reading.get_pod(subject.key);
    is_read = pod != nullptr;
  }
  if (!is_read) co_return std::unexpected(Unknown{reading.why()});
  DeviceInventory inventory(reading.take());
  std::optional<DeviceQuestion> question;
  if (pod != nullptr) {
    question = question_of(*pod, inventory, names);
  } else {
    question = DeviceQuestion{
        .namespace_ = subject.key.namespace_.str(), .names = names, .is_of_pod = false};
    if (!add_claim(inventory, subject.key.name.str(), *question)) question.reset();
  }
  const bool is_asked = question && (!question->claims.empty() || question->extended.lacks_class());
  if (!is_asked) co_return std::optional<Topic>();
  question->steps_max = limits.steps_max;
  co_return co_await survey_devices(inventory, *std::move(question), time, kSurveyTime);
}

}  // namespace dcm::explain
