#include "client/api/frame.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace dcm::api {
namespace {

struct FrameName {
  std::string_view name;
  FrameType type;
};
constexpr std::array<FrameName, 5> kFrameNames = {{
    {"ADDED", FrameType::added},
    {"MODIFIED", FrameType::modified},
    {"DELETED", FrameType::deleted},
    {"BOOKMARK", FrameType::bookmark},
    {"ERROR", FrameType::error},
}};

}  // namespace

std::optional<FrameType> frame_type(std::string_view name) {
  const auto* found = std::ranges::find(kFrameNames, name, &FrameName::name);
  if (found == kFrameNames.end()) return std::nullopt;
  return found->type;
}

runtime::Error frame_error(const StatusBody& status) {
  constexpr std::int64_t kCodeMax = std::numeric_limits<std::uint16_t>::max();
  if (status.code > 0 && status.code <= kCodeMax) {
    return to_error(static_cast<std::uint16_t>(status.code), status);
  }
  const bool is_gone = status.reason == "Expired" || status.reason == "Gone";
  runtime::Error error = to_error(is_gone ? 410 : 0, status);
  error.http_status.reset();
  return error;
}

}  // namespace dcm::api
