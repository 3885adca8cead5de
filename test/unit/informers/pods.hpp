// Pods on one line each, and an observer that records its notifications.
#pragma once

#include <string>
#include <vector>

#include "controllers/api/pod.hpp"
#include "informers/store.hpp"

namespace dcm::informers::testing {

struct PodSpec {
  std::string name = "a";
  int version = 1;
  std::string uid = {};  // by default derived from the name
  std::vector<std::string> claims = {};
};

inline api::NamespacedName name_of(std::string_view name) {
  return {api::InternedString("lab"), std::string(name)};
}

inline api::ResourceVersion version_of(int version) {
  return api::ResourceVersion(std::to_string(version));
}

inline api::ObjectMeta meta_of(const PodSpec& spec) {
  api::ObjectMeta meta;
  meta.key = name_of(spec.name);
  meta.uid = api::Uid(spec.uid.empty() ? "uid of " + spec.name : spec.uid);
  meta.resource_version = version_of(spec.version);
  return meta;
}

inline ObjectPtr<api::Pod> a_pod(const PodSpec& spec) {
  api::Pod pod;
  pod.meta = meta_of(spec);
  for (const auto& claim : spec.claims) pod.claims.push_back({"c", claim, ""});
  return ObjectPtr(std::move(pod));
}

// A pod as received from the API: of interest, or not (any longer).
inline api::Decoded<api::Pod> seen(const PodSpec& spec) {
  return {meta_of(spec), a_pod(spec)};
}
inline api::Decoded<api::Pod> seen_without_interest(const PodSpec& spec) {
  return {meta_of(spec), nullptr};
}

inline Extract<api::Pod, api::NamespacedName> by_claim() {
  return [](const api::Pod& pod, const Emit<api::NamespacedName>& emit) {
    for (const auto& claim : pod.claims) emit({pod.meta.key.namespace_, claim.claim_name.str()});
  };
}

// Records lines such as "added a@1", "updated a@1 to 2 (initial)", "deleted a@2", "left a@2"
class Diary final : public Observer<api::Pod> {
 public:
  using Pod = ObjectPtr<api::Pod>;

  void observe_added(const Pod& pod, Origin origin) override {
    write("added " + show(pod), origin);
  }
  void observe_updated(const Pod& before, const Pod& after, Origin origin) override {
    write("updated " + show(before) + " to " + after->meta.resource_version.str(), origin);
  }
  void observe_deleted(const Pod& last_known, Origin origin) override {
    write("deleted " + show(last_known), origin);
  }
  void observe_left(const Pod& last_known, Origin origin) override {
    write("left " + show(last_known), origin);
  }

  // The entries since the last call.
  std::vector<std::string> take() { return std::exchange(entries_, {}); }

 private:
  static std::string show(const Pod& pod) {
    return pod->meta.key.name + "@" + pod->meta.resource_version.str();
  }
  void write(std::string entry, Origin origin) {
    entries_.push_back(std::move(entry) + (origin == Origin::initial ? " (initial)" : ""));
  }

  std::vector<std::string> entries_;
};

}  // namespace dcm::informers::testing
