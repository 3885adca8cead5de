#include "playground/scheduler/waiting_room.hpp"

namespace dcm::playground {

void WaitingRoom::wait(const PodName& pod, const std::string& line) {
  const auto place = places_.find(pod);
  if (place != places_.end() && place->second.line == line) return;
  leave(pod);
  Line& waiting = lines_[line];
  places_.emplace(pod, Place{line, waiting.insert(waiting.end(), pod)});
}

std::optional<WaitingRoom::PodName> WaitingRoom::leave(const PodName& pod) {
  const auto place = places_.find(pod);
  if (place == places_.end()) return std::nullopt;
  const auto line = lines_.find(place->second.line);
  const bool was_first = place->second.position == line->second.begin();
  line->second.erase(place->second.position);
  places_.erase(place);
  if (line->second.empty()) {
    lines_.erase(line);
    return std::nullopt;
  }
  return was_first ? std::optional(line->second.front()) : std::nullopt;
}

std::vector<WaitingRoom::PodName> WaitingRoom::heads() const {
  std::vector<PodName> first;
  for (const auto& [line, waiting] : lines_) first.push_back(waiting.front());
  return first;
}

}  // namespace dcm::playground
