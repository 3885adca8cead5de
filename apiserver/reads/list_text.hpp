// Writes a list object by object, so that a large list does not delay other requests.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/store/store.hpp"

namespace dcm::apiserver {

// How a list of objects becomes text in some format: head, separated items, tail.
struct ListText {
  std::function<std::string(const Stored&)> item;
  std::string_view between;
  // May contain the size of what follows, so it is created last. `bytes`: of all items.
  std::function<std::string(std::size_t bytes)> head;
  std::string_view tail;
  enum class HeadIsMade { first, last } head_is_made = HeadIsMade::first;
};

// The whole list at once.
std::string whole(const ListText& text, const std::vector<Stored>& objects);

// The same in parts, each created in about a millisecond. Lists the state at the time of creation.
class ListParts {
 public:
  // `end` follows all of it.
  ListParts(ListText text, std::vector<Stored> objects, std::string end = {})
      : text_(std::move(text)), objects_(std::move(objects)), end_(std::move(end)) {}

  // nullopt: complete. Empty: not ready yet.
  std::optional<std::string> next();

 private:
  std::string next_items();

  ListText text_;
  std::vector<Stored> objects_;
  std::string end_;
  std::size_t encoded_ = 0;             // objects
  std::size_t bytes_ = 0;               // of their items
  std::vector<std::string> kept_ = {};  // items waiting for the head
  std::size_t told_ = 0;                // how many of these were returned
  enum class At { head, items, tail, end } at_ = At::head;
};

}  // namespace dcm::apiserver
