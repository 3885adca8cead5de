#include "apiserver/reads/watch_index.hpp"

namespace dcm::apiserver {

namespace {

// "<namespace>/<name>" → "<namespace>"; "" if there is none.
std::string_view namespace_of(std::string_view key) {
  const auto slash = key.find('/');
  return slash == std::string_view::npos ? std::string_view() : key.substr(0, slash);
}

}  // namespace

void WatchIndex::add(Watch& watch) {
  const std::string resource = watch.target().type->storage();
  const std::string ns = watch.target().ns;
  const std::uint64_t number = opened_++;
  resources_[resource][ns].emplace(number, &watch);
  ++size_;
  watch.on_close([this, resource, ns, number] { remove(resource, ns, number); });
}

void WatchIndex::remove(const std::string& resource, const std::string& ns, std::uint64_t number) {
  ByNamespace& around = resources_[resource];
  Watches& watches = around[ns];
  size_ -= watches.erase(number);
  if (!watches.empty()) return;
  around.erase(ns);
  if (around.empty()) resources_.erase(resource);
}

void WatchIndex::notify(std::string_view resource, const Change& change) {
  const auto found = resources_.find(resource);
  if (found == resources_.end()) return;
  const std::string_view ns = namespace_of(change.key);
  const auto tell = [&](std::string_view which) {
    const auto watches = found->second.find(which);
    if (watches == found->second.end()) return;
    for (const auto& [number, watch] : watches->second) watch->notify();
  };
  tell("");
  if (!ns.empty()) tell(ns);
}

bool WatchIndex::has_client(std::string_view resource, const IsOne& is_one) const {
  const auto found = resources_.find(resource);
  if (found == resources_.end()) return false;
  for (const auto& [ns, watches] : found->second) {
    for (const auto& [number, watch] : watches) {
      if (is_one(watch->client())) return true;
    }
  }
  return false;
}

void WatchIndex::end(const ByNamespace& watches) {
  for (const auto& [ns, here] : watches) {
    for (const auto& [number, watch] : here) watch->end();
  }
}

void WatchIndex::end_all() {
  for (const auto& [resource, watches] : resources_) end(watches);
}

void WatchIndex::end_all(std::string_view resource) {
  if (const auto found = resources_.find(resource); found != resources_.end()) end(found->second);
}

}  // namespace dcm::apiserver
