// The objects of a cluster, read once, with controllers on standby that explain them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "client/api/decoder.hpp"
#include "controllers/api/device_taint_rule.hpp"
#include "controllers/api/pod.hpp"
#include "controllers/api/resource_claim.hpp"
#include "controllers/api/resource_claim_template.hpp"
#include "controllers/api/resource_slice.hpp"
#include "explain/source.hpp"
#include "informers/store.hpp"
#include "runtime/metrics.hpp"

namespace dcm::explain {

template <class T>
using Listed = std::vector<api::Decoded<T>>;

struct ListedObjects {
  Listed<api::Pod> pods;
  Listed<api::ResourceClaim> claims;
  Listed<api::ResourceClaimTemplate> templates;
  Listed<api::ResourceSlice> slices;
  Listed<api::DeviceTaintRule> rules;
  Listed<api::PodGroup> groups;
};

// The controllers are like those of a standby: they update their indexes and send nothing.
class ClusterCopy {
 public:
  // `time` must outlive it.
  ClusterCopy(runtime::TimeSource& time, common::FeatureGates gates, ListedObjects objects);
  ClusterCopy(const ClusterCopy&) = delete;
  ClusterCopy& operator=(const ClusterCopy&) = delete;

  const ExplanationSource& source() const { return source_; }

 private:
  // Drops all events.
  class NoEvents final : public api::EventSink {
    void report(const api::ObjectReference&, api::EventType, std::string_view, std::string_view,
                std::string_view) override {}
  };
  // A store with its only writer.
  template <class T>
  struct Kind {
    informers::Store<T> store;
    informers::StoreWriter<T> writer = store.take_writer();

    void fill(Listed<T> objects) {
      writer.begin_relist();
      for (auto& object : objects) writer.observe_listed(std::move(object));
      writer.end_relist({});
    }
  };
  class NoClaimApi;
  class NoEvictionApi;

  runtime::MetricsRegistry metrics_;
  NoEvents events_;
  std::unique_ptr<resource_claim::ClaimApi> claim_api_;
  std::unique_ptr<device_taint_eviction::EvictionApi> eviction_api_;
  Kind<api::Pod> pods_;
  Kind<api::ResourceClaim> claims_;
  Kind<api::ResourceClaimTemplate> templates_;
  Kind<api::ResourceSlice> slices_;
  Kind<api::DeviceTaintRule> rules_;
  Kind<api::PodGroup> groups_;
  resource_claim::ForeignClaims foreign_;
  resource_claim::Controller claim_controller_;
  device_taint_eviction::Controller eviction_controller_;
  ControllersSource source_;
};

}  // namespace dcm::explain
