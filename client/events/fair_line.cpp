#include "client/events/fair_line.hpp"

#include "runtime/assert.hpp"

namespace dcm::client {

void FairLine::push(const std::string& namespace_, std::string id, Rank rank) {
  auto& line = *lines_.try_emplace(namespace_).first;
  (rank == Rank::first ? line.second.first : line.second.again).push_back(std::move(id));
  ++size_;
  note_size(line, line.second.size() - 1);
  give_turn(line);
}

std::optional<std::string> FairLine::pop() {
  while (!turns_.empty()) {
    const auto line = lines_.find(turns_.front());
    turns_.pop_front();
    line->second.has_turn = false;
    if (line->second.size() == 0) {  // displaced meanwhile
      forget_if_idle(line);
      continue;
    }
    std::deque<std::string>& waiting = line->second.next();
    std::string id = std::move(waiting.front());
    waiting.pop_front();
    --size_;
    note_size(*line, line->second.size() + 1);
    ++line->second.in_hand;
    give_turn(*line);
    return id;
  }
  return std::nullopt;
}

void FairLine::done(const std::string& namespace_) {
  const auto line = lines_.find(namespace_);
  DCM_ASSERT(line != lines_.end() && line->second.in_hand > 0);
  --line->second.in_hand;
  give_turn(*line);
  forget_if_idle(line);
}

std::optional<std::string> FairLine::displace_for(const std::string& namespace_) {
  const auto own = lines_.find(namespace_);
  const std::size_t own_size = own == lines_.end() ? 0 : own->second.size();
  if (long_lines_.empty() || long_lines_.rbegin()->first <= own_size + 1) return std::nullopt;
  auto& longest = *lines_.find(std::string(long_lines_.rbegin()->second));
  Line& line = longest.second;
  std::deque<std::string>& waiting = line.again.empty() ? line.first : line.again;
  std::string id = std::move(waiting.back());
  waiting.pop_back();
  --size_;
  note_size(longest, line.size() + 1);
  return id;
}

void FairLine::note_size(const Lines::value_type& line, std::size_t before) {
  const std::size_t now = line.second.size();
  if (before > 1) long_lines_.erase({before, line.first});
  if (now > 1) long_lines_.emplace(now, line.first);
}

void FairLine::give_turn(Lines::value_type& line) {
  auto& [namespace_, waiting] = line;
  if (waiting.has_turn || waiting.size() == 0 || waiting.in_hand >= in_hand_max_) return;
  waiting.has_turn = true;
  turns_.push_back(namespace_);
}

void FairLine::forget_if_idle(Lines::iterator line) {
  const Line& idle = line->second;
  if (idle.size() == 0 && idle.in_hand == 0 && !idle.has_turn) lines_.erase(line);
}

}  // namespace dcm::client
