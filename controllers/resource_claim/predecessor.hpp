// The instance that led before this one, and what it may have left behind unseen.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "client/api/meta.hpp"
#include "controllers/resource_claim/attempt.hpp"

namespace dcm::resource_claim {

// Its last creates were carried out before this process got the right to write, but the watch of
// this one may lag behind, and what the cache lacks may exist. So before the first create in a
// namespace, the claims there are listed once (consistently), and what is news is recorded like an
// own write. From then on cache and own writes are complete for that namespace, because nobody else
// makes claims for pods any more.
class Predecessor {
 public:
  enum class Exists { no, maybe };
  explicit Predecessor(Exists exists) : exists_(exists) {}

  struct Waiting {
    api::NamespacedName pod;
    workqueue::Priority priority;
  };

  // Whether it may have made claims there that nobody here knows of.
  bool may_have_left(const api::InternedString& namespace_) const {
    return exists_ == Exists::maybe && !listed_.contains(namespace_);
  }
  // The first who asks is to list. False: somebody does already, and `pod` is noted down for the
  // end of that.
  bool begin_to_list(const Waiting& pod) {
    const auto [under_way, is_first] = under_way_.try_emplace(pod.pod.namespace_);
    if (!is_first) under_way->second.push_back(pod);
    return is_first;
  }
  void note_listed(const api::InternedString& namespace_) { listed_.insert(namespace_); }
  // However the list went: those who have waited for it.
  std::vector<Waiting> end_listing(const api::InternedString& namespace_) {
    const auto ended = under_way_.extract(namespace_);
    return ended.empty() ? std::vector<Waiting>() : std::move(ended.mapped());
  }

 private:
  Exists exists_;
  std::set<api::InternedString> listed_;
  std::map<api::InternedString, std::vector<Waiting>> under_way_;
};

}  // namespace dcm::resource_claim
