// The newest objects as text in each encoding, so that each is encoded once, and not for its writer
// and every watch.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>

#include "apiserver/model/resource_type.hpp"
#include "apiserver/store/store.hpp"

namespace dcm::apiserver {

class ObjectTexts {
 public:
  using Text = std::shared_ptr<const std::string>;

  // As encode() writes it. Never null.
  Text get(const ResourceType& type, std::string_view version, const Stored& object,
           Encoding encoding);

 private:
  // Enough for watches that keep up; slow ones encode separately.
  static constexpr std::size_t kMaxBytes = 16 * 1024 * 1024;

  // Keeps the object alive, so that its address is not reused.
  using Key = std::tuple<Stored, std::string, Encoding>;

  std::map<Key, Text> texts_;
  std::deque<Key> order_;  // oldest first
  std::size_t bytes_ = 0;
};

}  // namespace dcm::apiserver
