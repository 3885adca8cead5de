// The instance that led before this one, and what it may have left behind unseen.
#pragma once

#include <set>

#include "client/api/meta.hpp"

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

  // Whether it may have made claims there that nobody here knows of.
  bool may_have_left(const api::InternedString& namespace_) const {
    return exists_ == Exists::maybe && !listed_.contains(namespace_);
  }
  void note_listed(const api::InternedString& namespace_) { listed_.insert(namespace_); }

 private:
  Exists exists_;
  std::set<api::InternedString> listed_;
};

}  // namespace dcm::resource_claim
