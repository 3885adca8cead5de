#include "test/simulation/timeline.hpp"

#include <iterator>

#include <fmt/format.h>

namespace dcm::simulation {

void Timeline::note(std::string_view who, std::string_view what) {
  if (!is_kept()) return;
  const std::chrono::duration<double> now = time_.now().time_since_epoch();
  fmt::format_to(std::back_inserter(text_), "{:9.3f} {:<12} {}\n", now.count(), who, what);
}

void Timeline::note(const apiserver::LoggedRequest& request, int status) {
  if (!is_kept()) return;
  const bool is_protobuf = request.body.starts_with("k8s");
  const std::string_view write = is_protobuf ? "(in protobuf)" : std::string_view(request.body);
  note(request.user_agent,
       fmt::format("{} {}{}{} {}/{} → {} {}", request.verb, request.resource,
                   request.subresource.empty() ? "" : "/", request.subresource, request.ns,
                   request.name, status, request.is_write() ? write : ""));
}

}  // namespace dcm::simulation
