// Items waiting to be written, with namespaces served in turn: however many events of one namespace
// wait, another's next one is written soon.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "runtime/keyed_hash.hpp"

namespace dcm::client {

class FairLine {
 public:
  // First writes go before repetitions of the same namespace.
  enum class Rank : std::uint8_t { first, again };

  // `in_hand_max`: how many items of one namespace are written concurrently, so that a webhook that
  // is slow for one namespace does not hold up all.
  explicit FairLine(std::size_t in_hand_max) : in_hand_max_(in_hand_max) {}

  void push(const std::string& namespace_, std::string id, Rank rank);
  // The next item, which is in hand until done(). nullopt: none may be written now.
  std::optional<std::string> pop();
  void done(const std::string& namespace_);
  // Makes room for an item of `namespace_` by removing the newest item of the namespace with the
  // most waiting items, if that has more than `namespace_`; otherwise returns nullopt.
  std::optional<std::string> displace_for(const std::string& namespace_);

  std::size_t size() const noexcept { return size_; }

 private:
  struct Line {
    std::deque<std::string> first;
    std::deque<std::string> again;
    std::size_t in_hand = 0;
    bool has_turn = false;  // is in turns_

    std::size_t size() const { return first.size() + again.size(); }
    std::deque<std::string>& next() { return first.empty() ? again : first; }
  };
  using Lines = std::unordered_map<std::string, Line, runtime::KeyedHash>;

  void note_size(const Lines::value_type& line, std::size_t before);
  void give_turn(Lines::value_type& line);
  void forget_if_idle(Lines::iterator line);

  std::size_t in_hand_max_;
  Lines lines_;
  std::deque<std::string> turns_;  // namespaces with an item that may be written
  // The sizes and namespaces of lines with two or more waiting items, shortest first. A flood over
  // thousands of namespaces asks for the longest line with each event.
  std::set<std::pair<std::size_t, std::string_view>> long_lines_;
  std::size_t size_ = 0;
};

}  // namespace dcm::client
