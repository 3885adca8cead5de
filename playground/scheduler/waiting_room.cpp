#include "playground/scheduler/waiting_room.hpp"

#include <algorithm>
#include <utility>

namespace dcm::playground {

std::optional<WaitingRoom::PodName> WaitingRoom::wait(const PodName& pod, const std::string& line,
                                                      std::int64_t priority) {
  const auto place = places_.find(pod);
  if (place != places_.end() && place->second.line == line) return std::nullopt;
  std::optional<PodName> next = leave(pod);
  Line& waiting = lines_[line];
  waiting.priority = priority;
  places_.emplace(pod, Place{line, waiting.pods.insert(waiting.pods.end(), {pod, ++arrivals_})});
  return next;
}

std::optional<WaitingRoom::PodName> WaitingRoom::leave(const PodName& pod) {
  const auto place = places_.find(pod);
  if (place == places_.end()) return std::nullopt;
  const auto line = lines_.find(place->second.line);
  auto& pods = line->second.pods;
  const bool was_first = place->second.position == pods.begin();
  pods.erase(place->second.position);
  places_.erase(place);
  if (pods.empty()) {
    lines_.erase(line);
    return std::nullopt;
  }
  return was_first ? std::optional(pods.front().pod) : std::nullopt;
}

std::vector<WaitingRoom::PodName> WaitingRoom::heads() const {
  std::vector<const Line*> lines;
  lines.reserve(lines_.size());
  for (const auto& [text, line] : lines_) lines.push_back(&line);
  std::ranges::sort(lines, {}, [](const Line* line) {
    return std::pair(-line->priority, line->pods.front().arrival);
  });
  std::vector<PodName> first;
  first.reserve(lines.size());
  for (const Line* const line : lines) first.push_back(line->pods.front().pod);
  return first;
}

}  // namespace dcm::playground
