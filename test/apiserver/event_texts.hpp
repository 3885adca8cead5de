// The newest events as text, so that an event is encoded once and not once for each watch.
#pragma once

#include <compare>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "test/apiserver/store.hpp"

namespace dcm::apiserver {

// What makes two events the same text. The revision names the change, and so resource and object;
// whether a watch sees it as ADDED or MODIFIED is a matter of its selector.
struct EventKey {
  Revision revision;
  std::string_view type;  // "ADDED", "MODIFIED", "DELETED"
  std::string version;    // of the resource's group

  auto operator<=>(const EventKey&) const = default;
};

class EventTexts {
 public:
  using Text = std::shared_ptr<const std::string>;

  // The text under `key`, made by `encode` if it is not known. Never null.
  Text get(const EventKey& key, const std::function<std::string()>& encode);

 private:
  // Enough for watches that keep up; those that lag encode on their own, all at one time again.
  static constexpr std::size_t kMaxBytes = 16 * 1024 * 1024;

  std::map<EventKey, Text> texts_;
  std::deque<EventKey> order_;  // the oldest first
  std::size_t bytes_ = 0;
};

}  // namespace dcm::apiserver
