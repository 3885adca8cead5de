// The events of a world, one line each, in the order of virtual time.
//
// Two runs of a seed must write identical text.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/front/request_log.hpp"
#include "runtime/time.hpp"

namespace dcm::simulation {

enum class Detail { none, all };

class Timeline {
 public:
  // `time` must outlive it. With Detail::none nothing is kept, which is faster.
  Timeline(const runtime::TimeSource& time, Detail detail) : time_(time), detail_(detail) {}

  bool is_kept() const { return detail_ == Detail::all; }
  // "  61.204 scheduler    bound lab/pod-3"
  void note(std::string_view who, std::string_view what);
  // Notes a request of its sender, with the body of a write in JSON.
  void note(const apiserver::LoggedRequest& request, int status);
  const std::string& text() const { return text_; }

 private:
  const runtime::TimeSource& time_;
  Detail detail_;
  std::string text_;
};

}  // namespace dcm::simulation
