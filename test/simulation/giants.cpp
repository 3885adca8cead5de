#include "test/simulation/giants.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dcm::simulation {
namespace {

constexpr const char* kNs = "lab";      // never deleted
constexpr const char* kName = "giant";  // of each object, and what names of pods begin with
constexpr const char* kFull = "giant-full";
// The limits of the API.
constexpr std::size_t kDevices = 128;
constexpr std::size_t kAttributes = 32;
constexpr std::size_t kResults = 32;
constexpr std::size_t kDataBytes = 10'000;
constexpr std::size_t kAnnotationBytes = 200'000;
constexpr std::size_t kReservations = 256;
// Of a pod.
constexpr std::size_t kTemplateClaims = 10;
constexpr std::size_t kMissingTemplates = 100;
constexpr std::size_t kNamedClaims = 2'000;

// `make(i)` for each of `count`, separated by commas.
template <class Make>
std::string list_of(std::size_t count, Make&& make) {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < count; ++i) items.push_back(make(i));
  return fmt::format("{}", fmt::join(items, ","));
}

std::string meta_with_text(const std::string& name) {
  return fmt::format(R"("metadata":{{"name":"{}","annotations":{{"example.com/text":"{}"}}}})",
                     name, std::string(kAnnotationBytes, 'x'));
}

// Its consumers stay until they are answered, whatever rules the world's admin makes.
std::string allocation() {
  return list_of(kResults, [](std::size_t i) {
    return fmt::format(R"({{"request":"r","driver":"{}","pool":"{}","device":"dev-{}",)"
                       R"("tolerations":[{{"operator":"Exists","effect":"NoExecute"}}]}})",
                       kDriver, kName, i);
  });
}

std::string device_states() {
  return list_of(kResults, [](std::size_t i) {
    return fmt::format(R"({{"driver":"{}","pool":"{}","device":"dev-{}","data":{{"text":"{}"}}}})",
                       kDriver, kName, i, std::string(kDataBytes, 'x'));
  });
}

std::string devices() {
  const std::string attributes = list_of(kAttributes, [](std::size_t i) {
    return fmt::format(R"("attribute-{}":{{"string":"{}"}})", i, std::string(60, 'x'));
  });
  return list_of(kDevices, [&](std::size_t i) {
    return fmt::format(R"({{"name":"dev-{}","attributes":{{{}}}}})", i, attributes);
  });
}

std::string pod_claims() {
  const auto from_template = [](std::size_t i) {
    return fmt::format(R"({{"name":"t{}","resourceClaimTemplateName":"{}"}})", i, kName);
  };
  const auto missing = [](std::size_t i) {
    return fmt::format(R"({{"name":"m{}","resourceClaimTemplateName":"missing-{}"}})", i, i);
  };
  const auto named = [](std::size_t i) {
    return fmt::format(R"({{"name":"n{}","resourceClaimName":"{}"}})", i, kName);
  };
  return fmt::format("{},{},{}", list_of(kMissingTemplates, missing),
                     list_of(kTemplateClaims, from_template), list_of(kNamedClaims, named));
}

constexpr const char* kRequests =
    R"({"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu.example.com"}}]}})";

}  // namespace

void Giants::make_claim(const std::string& name, const std::string& status) {
  const std::string target = claims_in(kNs) + "/" + name;
  context_.send("user", "POST", claims_in(kNs),
                fmt::format(R"({{{},"spec":{}}})", meta_with_text(name), kRequests));
  context_.send("scheduler", "PATCH", target,
                R"({"metadata":{"finalizers":["resource.kubernetes.io/delete-protection"]}})");
  context_.send("scheduler", "PATCH", target + "/status",
                fmt::format(R"({{"status":{{"allocation":{{"devices":{{"results":[{}]}}}},{}}}}})",
                            allocation(), status));
}

void Giants::make_large_objects() {
  context_.send("driver", "POST", kSlices,
                fmt::format(R"({{{},"spec":{{"driver":"{}","allNodes":true,"pool":{{"name":"{}",)"
                            R"("generation":1,"resourceSliceCount":1}},"devices":[{}]}}}})",
                            meta_with_text(kName), kDriver, kName, devices()));
  make_claim(kName, fmt::format(R"("devices":[{}])", device_states()));
  context_.send("admin", "POST", kRules,
                fmt::format(R"({{{},"spec":{{"deviceSelector":{{"pool":"{}"}},)"
                            R"("taint":{{"key":"hot","effect":"None"}}}}}})",
                            meta_with_text(kName), kName));
  context_.send("user", "POST", templates_in(kNs),
                fmt::format(R"({{{},"spec":{{"spec":{}}}}})", meta_with_text(kName), kRequests));
}

void Giants::make_pod(const std::string& name, const std::string& spec) {
  context_.send("user", "POST", pods_in(kNs),
                fmt::format(R"({{{},"spec":{{"containers":[{{"name":"c","image":"i"}}],{}}}}})",
                            meta(name), spec));
}

void Giants::make_pod() {
  make_pod(kName, fmt::format(R"("resourceClaims":[{}])", pod_claims()));
}

bool Giants::has_pod_its_claims() const {
  const Pod* pod = context_.cluster.pod(fmt::format("{}/{}", kNs, kName));
  return pod != nullptr && pod->made.size() == kTemplateClaims;
}

void Giants::fill_claim() {
  const std::string others = list_of(kReservations - 1, [](std::size_t i) {
    return fmt::format(
        R"({{"apiGroup":"example.com","resource":"things","name":"thing","uid":"thing-{}"}})", i);
  });
  make_claim(kFull, fmt::format(R"("reservedFor":[{}])", others));
  for (const char* name : {"giant-one", "giant-other"}) {
    make_pod(name, fmt::format(R"("nodeName":"node-1","resourceClaims":[{{"name":"c",)"
                               R"("resourceClaimName":"{}"}}])",
                               kFull));
  }
}

const Pod* Giants::consumer(bool is_reserved) const {
  const Claim* claim = context_.cluster.claim(fmt::format("{}/{}", kNs, kFull));
  for (const char* name : {"giant-one", "giant-other"}) {
    const Pod* pod = context_.cluster.pod(fmt::format("{}/{}", kNs, name));
    if (claim == nullptr || pod == nullptr) continue;
    if (claim->is_reserved_for(pod->uid) == is_reserved) return pod;
  }
  return nullptr;
}

bool Giants::are_both_answered(const Reports& reports) const {
  const Pod* waiting = consumer(false);
  return consumer(true) != nullptr && waiting != nullptr &&
         reports.are_there(waiting->uid, "FailedResourceClaimReservation");
}

void Giants::delete_consumer() {
  const Pod* pod = consumer(true);
  if (pod == nullptr) return;
  context_.send("user", "DELETE", pods_in(kNs) + "/" + pod->name,
                delete_only(pod->uid, R"(,"gracePeriodSeconds":0)"));
}

void Giants::remove() {
  for (const auto& [key, pod] : std::map(context_.cluster.pods)) {
    if (!pod.name.starts_with(kName)) continue;
    context_.send("user", "DELETE", pods_in(pod.ns) + "/" + pod.name,
                  delete_only(pod.uid, R"(,"gracePeriodSeconds":0)"));
  }
  context_.send("user", "DELETE", templates_in(kNs) + "/" + kName, "");
  context_.send("admin", "DELETE", kRules + "/" + kName, "");
  context_.send("driver", "DELETE", kSlices + "/" + kName, "");
  for (const char* name : {kName, kFull}) {
    const std::string target = claims_in(kNs) + "/" + name;
    context_.send("scheduler", "PATCH", target + "/status",
                  R"({"status":{"allocation":null,"devices":null,"reservedFor":null}})");
    context_.send("scheduler", "PATCH", target, R"({"metadata":{"finalizers":null}})");
    context_.send("user", "DELETE", target, "");
  }
}

}  // namespace dcm::simulation
