#include "runtime/grpc/framing.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "runtime/one_line.hpp"

namespace dcm::grpc {
namespace {

constexpr std::size_t kPrefixBytes = 5;
// Three times as much when encoded. Larger trailers would not be sent (http2::check_size), and the
// client would wait for them.
constexpr std::size_t kStatusBytesMax = std::size_t{8} * 1024;

struct Unit {
  char letter;
  runtime::Duration length;
};

// In ascending order.
constexpr std::array<Unit, 6> kUnits = {{{'n', std::chrono::nanoseconds(1)},
                                         {'u', std::chrono::microseconds(1)},
                                         {'m', std::chrono::milliseconds(1)},
                                         {'S', std::chrono::seconds(1)},
                                         {'M', std::chrono::minutes(1)},
                                         {'H', std::chrono::hours(1)}}};
constexpr runtime::Duration::rep kTimeoutMax = 99'999'999;  // eight digits

}  // namespace

std::string encode_message(std::string_view message) {
  std::string bytes;
  bytes.reserve(kPrefixBytes + message.size());
  bytes.push_back(0);
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<char>(message.size() >> shift));
  }
  return bytes.append(message);
}

// Moves the rest here, not in take(): many small messages may come at once.
void MessageReader::put(std::string_view bytes) {
  bytes_.erase(0, std::exchange(taken_, 0));
  bytes_.append(bytes);
}

Result<std::optional<std::string>> MessageReader::take() {
  const std::string_view rest = std::string_view(bytes_).substr(taken_);
  if (rest.size() < kPrefixBytes) return std::nullopt;
  std::size_t size = 0;
  for (std::size_t i = 1; i < kPrefixBytes; ++i) {
    size = size << 8 | static_cast<unsigned char>(rest[i]);
  }
  if (size > bytes_max_) {
    return fail(
        Code::resource_exhausted,
        fmt::format("grpc: received message larger than max ({} vs. {})", size, bytes_max_));
  }
  if (rest[0] != 0) {
    return fail(Code::unimplemented, "grpc: compressed messages are not supported");
  }
  if (rest.size() - kPrefixBytes < size) return std::nullopt;
  taken_ += kPrefixBytes + size;
  return std::string(rest.substr(kPrefixBytes, size));
}

std::optional<std::string> encode_timeout(runtime::Deadline deadline,
                                          const runtime::TimeSource& time) {
  if (!deadline.is_reachable()) return std::nullopt;
  const runtime::Duration left = deadline.left(time);
  for (const Unit& unit : kUnits) {
    // Rounded up: the server gives up no earlier than we do.
    const auto count = (left + unit.length - runtime::Duration(1)) / unit.length;
    if (count <= kTimeoutMax) return fmt::format("{}{}", count, unit.letter);
  }
  return std::nullopt;
}

Result<runtime::Duration> decode_timeout(std::string_view text) {
  const auto bad = [&] { return fail(Code::internal, "malformed grpc-timeout"); };
  if (text.size() < 2 || text.size() > 9) return bad();
  runtime::Duration::rep count = 0;
  const char* const end = text.data() + text.size() - 1;
  const auto [parsed, failure] = std::from_chars(text.data(), end, count);
  if (failure != std::errc() || parsed != end || count < 0) return bad();
  const auto unit = std::ranges::find(kUnits, text.back(), &Unit::letter);
  if (unit == kUnits.end()) return bad();
  const auto most = runtime::Duration::max() / unit->length;
  return count > most ? runtime::Duration::max() : count * unit->length;
}

std::string percent_encode(std::string_view message) {
  std::string text;
  for (const char c : message) {
    if (c >= ' ' && c <= '~' && c != '%') {
      text.push_back(c);
    } else {
      text.append(fmt::format("%{:02X}", static_cast<unsigned char>(c)));
    }
  }
  return text;
}

std::string percent_decode(std::string_view text) {
  std::string message;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '%' && text.size() - i > 2 &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      message.push_back(static_cast<char>(byte));
      i += 2;
    } else {
      message.push_back(text[i]);
    }
  }
  return message;
}

std::optional<Status> read_status(const http::Headers& fields) {
  const auto code = fields.find("grpc-status");
  if (!code) return std::nullopt;
  // The message goes into events, and the API server refuses those that are not UTF-8.
  return Status{code_from_number(*code),
                runtime::valid_utf8(percent_decode(fields.find("grpc-message").value_or("")))};
}

void add_status(http::Headers& fields, const Status& status) {
  fields.add("grpc-status", std::to_string(static_cast<int>(status.code)));
  const std::string_view message = runtime::cut_utf8(status.message, kStatusBytesMax);
  if (!message.empty()) fields.add("grpc-message", percent_encode(message));
}

bool is_grpc(std::optional<std::string_view> content_type) {
  constexpr std::string_view kType = "application/grpc";
  if (!content_type || !content_type->starts_with(kType)) return false;
  const std::string_view rest = content_type->substr(kType.size());
  return rest.empty() || rest.front() == '+' || rest.front() == ';';
}

}  // namespace dcm::grpc
