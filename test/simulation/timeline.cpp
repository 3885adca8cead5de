#include "test/simulation/timeline.hpp"

#include <iterator>

#include <fmt/format.h>

namespace dcm::simulation {

std::string_view shown_body(const apiserver::LoggedRequest& request) {
  if (!request.is_write()) return "";
  return request.body.starts_with("k8s") ? "(in protobuf)" : std::string_view(request.body);
}

void Timeline::note(std::string_view who, std::string_view what) {
  if (!is_kept()) return;
  const std::chrono::duration<double> now = time_.now().time_since_epoch();
  fmt::format_to(std::back_inserter(text_), "{:9.3f} {:<12} {}\n", now.count(), who, what);
}

}  // namespace dcm::simulation
