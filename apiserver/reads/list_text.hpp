// Writes a list as text, object by object, so that a large list holds up no other request.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/store/store.hpp"

namespace dcm::apiserver {

// How the objects of a list become one text in some form: head, items with something between them,
// tail.
struct ListText {
  std::function<std::string(const Stored&)> item;
  std::string_view between;
  // May tell the size of what follows, so it is made last. `bytes`: of all items.
  std::function<std::string(std::size_t bytes)> head;
  std::string_view tail;
  enum class HeadIsMade { first, last } head_is_made = HeadIsMade::first;
};

// All of it at once.
std::string whole(const ListText& text, const std::vector<Stored>& objects);

// The same in parts, each of which is made in about a millisecond. What it lists is the state of
// the moment at which it was made.
class ListParts {
 public:
  // `end` comes after all of it.
  ListParts(ListText text, std::vector<Stored> objects, std::string end = {})
      : text_(std::move(text)), objects_(std::move(objects)), end_(std::move(end)) {}

  // Nothing: there are no more. Empty: come again.
  std::optional<std::string> next();

 private:
  std::string next_items();

  ListText text_;
  std::vector<Stored> objects_;
  std::string end_;
  std::size_t encoded_ = 0;             // objects
  std::size_t bytes_ = 0;               // of their items
  std::vector<std::string> kept_ = {};  // items that wait for the head
  std::size_t told_ = 0;                // of those
  enum class At { head, items, tail, end } at_ = At::head;
};

}  // namespace dcm::apiserver
