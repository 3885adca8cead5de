// The cache of one kind of object: its decoder, source and informer.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "client/request/rest_client.hpp"
#include "informers/api_lister_watcher.hpp"
#include "informers/informer.hpp"

namespace dcm::manager {

// `rest` and what the context refers to must outlive it.
template <class T>
class Cache {
 public:
  Cache(client::RestClient& rest, api::Resource resource, std::unique_ptr<api::Decoder<T>> decoder,
        informers::InformerContext context)
      : resource_(std::move(resource)),
        decoder_(std::move(decoder)),
        source_(rest, resource_, *decoder_),
        informer_(std::string(resource_.kind->plural), source_, std::move(context)) {}

  // Call it before run(), for a kind whose version was unknown at first.
  void use_version(const std::string& version) {
    resource_.version = version;
    source_.use_version(version);
  }

  const api::Resource& resource() const { return resource_; }
  const api::Decoder<T>& decoder() const { return *decoder_; }
  informers::Informer<T>& informer() { return informer_; }
  informers::StoreReader<T> reader() const { return informer_.reader(); }
  informers::SyncState& sync() { return informer_.sync(); }

 private:
  api::Resource resource_;
  std::unique_ptr<api::Decoder<T>> decoder_;
  informers::ApiListerWatcher<T> source_;
  informers::Informer<T> informer_;
};

}  // namespace dcm::manager
