// The playground's view of the cluster: one informer for each kind, shared by its parts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "controllers/api/device_taint_rule.hpp"
#include "informers/api_lister_watcher.hpp"
#include "informers/informer.hpp"
#include "playground/objects/api.hpp"
#include "playground/objects/decode.hpp"

namespace dcm::playground {

// The cache of one kind: its decoder, its source, and the objects.
template <class T>
struct Cache {
  Cache(client::RestClient& rest, api::Resource resource, std::unique_ptr<api::Decoder<T>> with,
        const informers::InformerContext& context, std::string field_selector = {})
      : decoder(std::move(with)),
        source(rest, resource, *decoder, {.field_selector = std::move(field_selector)}),
        informer(std::string(resource.kind->plural), source, context),
        reader(informer.reader()),
        own_writes(informer.own_writes()) {}

  // The object returned by one of our writes, which the cache shows from now on.
  Result<api::ObjectPtr<T>> record(const Result<http::Response>& answer) {
    Result<api::ObjectPtr<T>> object = decode(answer, *decoder);
    if (object && *object) own_writes.record(*object);
    return object;
  }

  std::unique_ptr<api::Decoder<T>> decoder;
  informers::ApiListerWatcher<T> source;
  informers::Informer<T> informer;
  informers::StoreReader<T> reader;
  informers::OwnWrites<T> own_writes;
};

// Parts declare their indexes and observers before run(), and outlive it.
class Caches {
 public:
  // `rest`, and what `context` refers to, must outlive it.
  Caches(client::RestClient& rest, const informers::InformerContext& context);

  Cache<Pod> pods;
  Cache<Claim> claims;
  Cache<DeviceClass> device_classes;
  Cache<Slice> slices;
  Cache<Node> nodes;
  Cache<Namespace> namespaces;
  Cache<api::DeviceTaintRule> rules;

  // Ends only by cancellation.
  Task<> run(runtime::Executor executor);
  // Waits for the first sync of all; only briefly for taint rules, which older servers do not have.
  Task<> wait_for_sync(const runtime::TimeSource& time);
};

}  // namespace dcm::playground
