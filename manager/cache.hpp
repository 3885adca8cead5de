// The cache of one kind of object: its decoder, source and informer.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "client/request/rest_client.hpp"
#include "informers/api_lister_watcher.hpp"
#include "informers/informer.hpp"
#include "manager/cache_decoder.hpp"
#include "manager/isolate.hpp"
#include "manager/process.hpp"
#include "manager/rows.hpp"
#include "manager/some_of.hpp"

namespace dcm::manager {

inline informers::InformerContext informer_context(const Process& process) {
  return {process.loop.time(), process.rng, process.log, process.metrics};
}

template <class T>
struct CacheOptions {
  // Which objects the API server sends at all. If a namespace is set, a Role in it suffices.
  client::Selection select = {};
  // Which of these objects are kept; all by default, and those for which it throws.
  std::function<bool(const T&)> keep = {};
  // For metrics and logs; the plural by default. Set it for a second cache of the same kind.
  std::string name = {};
};

template <class T>
std::string cache_name(const api::ResourceKind& kind, const CacheOptions<T>& options) {
  return options.name.empty() ? std::string(kind.plural) : options.name;
}

// `rest` and what `process` refers to must outlive the cache.
template <class T>
class Cache {
 public:
  Cache(client::RestClient& rest, api::Resource resource, std::unique_ptr<api::Decoder<T>> decoder,
        const Process& process, CacheOptions<T> options = {})
      : process_(process),
        resource_(std::move(resource)),
        name_(cache_name(*resource_.kind, options)),
        decoder_(std::move(decoder), resource_.kind->scope, isolated(std::move(options.keep))),
        source_(rest, resource_, decoder_, std::move(options.select)),
        informer_(name_, source_, informer_context(process)) {}

  // The object of that name; null if there is none.
  api::ObjectPtr<T> get(const api::NamespacedName& name) const { return reader().get(name); }
  // Call this before run(). Indexes objects by the result of `keys_of(object)`: a Key (with == and
  // std::hash), or a std::optional or std::vector of Keys. `keys_of` must depend on the object
  // alone. An object for which it throws has no keys. `name` is for messages.
  template <class Key, class KeysOf>
  informers::Index<T, Key> index(const std::string& name, KeysOf keys_of) {
    static_assert(SomeOf<std::invoke_result_t<KeysOf&, const T&>, Key>,
                  "an index takes a function of `const T&` that returns a Key, or a std::optional "
                  "or std::vector of them");
    require_rows_of<KeysOf>();
    check_not_running("index(\"" + name + "\")");
    return informer_.template add_index<Key>(
        [this, keys_of = std::move(keys_of)](const T& object, const informers::Emit<Key>& emit) {
          isolate(object, [&] { for_each_of(keys_of(object), emit); });
        });
  }

  // From its next request on. For a kind whose version is found, or changes, later.
  void use_version(const std::string& version) {
    resource_.version = version;
    source_.use_version(version);
  }

  // Which fields the projection reads. Call this before run().
  void set_rows(Rows rows) { rows_ = std::move(rows); }
  // Throws std::logic_error if the cache does not read this row.
  void require(const Row& row) const { rows_.require(row, name_); }
  // Throws std::logic_error if it runs already.
  void check_not_running(const std::string& call) const {
    if (!is_running_) return;
    throw std::logic_error("the cache \"" + name_ + "\": call " + call + " before run()");
  }
  // The same for a function of objects that states the row on which it relies, as `kReads`.
  template <class Function>
  void require_rows_of() const {
    if constexpr (requires { Function::kReads; }) require(Function::kReads);
  }

  // Calls a function of an object; an exception is logged and counted.
  template <class Function>
  void isolate(const T& object, Function function) const {
    manager::isolate(process_, name_, object.meta.key, std::move(function));
  }

  // In metrics and logs.
  const std::string& name() const { return name_; }
  const api::Resource& resource() const { return resource_; }
  const api::Decoder<T>& decoder() const { return decoder_; }
  informers::Informer<T>& informer() { return informer_; }
  informers::StoreReader<T> reader() const { return informer_.reader(); }
  // Fills it. Called once; ends only by cancellation.
  runtime::Task<> run() {
    is_running_ = true;
    return informer_.run();
  }
  informers::SyncState& sync() { return informer_.sync(); }

 private:
  std::function<bool(const T&)> isolated(std::function<bool(const T&)> keep) const {
    if (!keep) return {};
    return [this, keep = std::move(keep)](const T& object) {
      bool is_kept = true;
      isolate(object, [&] { is_kept = keep(object); });
      return is_kept;
    };
  }

  Process process_;
  api::Resource resource_;
  std::string name_;
  Rows rows_;
  bool is_running_ = false;
  CacheDecoder<T> decoder_;
  informers::ApiListerWatcher<T> source_;
  informers::Informer<T> informer_;
};

}  // namespace dcm::manager
