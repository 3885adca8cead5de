// The newest objects as text in each encoding, so that one is encoded once, and not for its writer
// and for each watch.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>

#include "apiserver/model/resource_table.hpp"
#include "apiserver/store/store.hpp"

namespace dcm::apiserver {

class ObjectTexts {
 public:
  using Text = std::shared_ptr<const std::string>;

  // As encode() writes it. Never null.
  Text get(const ResourceType& type, std::string_view version, const Stored& object,
           Encoding encoding);

 private:
  // Enough for watches that keep up; those that lag encode on their own, all at one time again.
  static constexpr std::size_t kMaxBytes = 16 * 1024 * 1024;

  // Which keeps the object, so that no other takes its address.
  using Key = std::tuple<Stored, std::string, Encoding>;

  std::map<Key, Text> texts_;
  std::deque<Key> order_;  // the oldest first
  std::size_t bytes_ = 0;
};

}  // namespace dcm::apiserver
