#include "runtime/log.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <optional>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <unistd.h>

#include "runtime/log_rate.hpp"
#include "runtime/one_line.hpp"

namespace dcm::runtime {
namespace {

using Buffer = fmt::memory_buffer;

void append(Buffer& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

// The escape that JSON has for it; empty if none.
std::string_view short_escape(char c) {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return {};
  }
}

// As a JSON string; the text format uses the same quoting, so that a line never spans lines, and no
// terminal interprets any of it as a command.
void append_quoted(Buffer& out, std::string_view text) {
  out.push_back('"');
  while (!text.empty()) {
    const Character next = first_character(text);
    const std::string_view escape = short_escape(text.front());
    if (!escape.empty()) {
      append(out, escape);
    } else if (next.is_harmful) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<std::uint32_t>(next.code));
    } else {
      append(out, text.substr(0, next.bytes));
    }
    text.remove_prefix(next.bytes);
  }
  out.push_back('"');
}

// At this verbosity every line is wanted.
constexpr int kEveryLine = 4;

// Enough for any message of an API server; other external text may be megabytes.
constexpr std::size_t kValueBytesMax = 4096;

void append_cut(Buffer& out, std::string_view text) {
  if (text.size() <= kValueBytesMax) return append_quoted(out, text);
  append_quoted(out, fmt::format("{}… ({} bytes)", cut_utf8(text, kValueBytesMax), text.size()));
}

void append_value(Buffer& out, const LogField::Value& value) {
  if (const auto* text = std::get_if<std::string_view>(&value)) return append_cut(out, *text);
  std::visit([&out](const auto& v) { fmt::format_to(std::back_inserter(out), "{}", v); }, value);
}

void append_fields(Buffer& out, LogFormat format, LogFields fields) {
  for (const LogField& field : fields) {
    if (format == LogFormat::json) {
      out.push_back(',');
      append_quoted(out, field.key);
      out.push_back(':');
    } else {
      out.push_back(' ');
      append(out, field.key);
      out.push_back('=');
    }
    append_value(out, field.value);
  }
}

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "";
}

char letter(Severity severity) {
  return severity == Severity::info ? 'I' : severity == Severity::warning ? 'W' : 'E';
}

void append_place(Buffer& out, SourceLocation where) {
  const std::string_view path = where.file_name();
  append(out, path.substr(path.rfind('/') + 1));
  fmt::format_to(std::back_inserter(out), ":{}", where.line());
}

void append_text_head(Buffer& out, WallTime now, Severity severity, SourceLocation where) {
  const auto micros = std::chrono::floor<std::chrono::microseconds>(now);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(micros);
  fmt::format_to(std::back_inserter(out), "{}{:%m%d %H:%M:%S}.{:06} {:7} ", letter(severity),
                 fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)),
                 (micros - seconds).count(), getpid());
  append_place(out, where);
  append(out, "] ");
}

void append_json_head(Buffer& out, WallTime now, Severity severity, SourceLocation where) {
  const auto micros = std::chrono::floor<std::chrono::microseconds>(now).time_since_epoch().count();
  fmt::format_to(std::back_inserter(out), R"({{"ts":{}.{:03},"caller":")", micros / 1000,
                 micros % 1000);
  append_place(out, where);
  fmt::format_to(std::back_inserter(out), R"(","level":"{}","msg":)", name(severity));
}

// FNV-1a.
class Hash {
 public:
  void add(char c) { sum_ = (sum_ ^ static_cast<unsigned char>(c)) * 0x100000001b3; }
  void add(std::string_view text) {
    for (const char c : text) add(c);
    add('\0');
  }
  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_ = 0xcbf29ce484222325;
};

// Fields that quote other programs, whose words may differ between attempts: in times, counts, and
// quoted names.
constexpr std::array<std::string_view, 6> kWords = {"error",  "why",     "because",
                                                    "answer", "warning", "exception"};

void add_words(Hash& hash, std::string_view words) {
  bool is_quoted = false;
  for (const char c : words) {
    if (c == '"') is_quoted = !is_quoted;
    if (!is_quoted && (c < '0' || c > '9')) hash.add(c);
  }
  hash.add('\0');
}

// Numbers give amounts, not the subject of a line.
std::uint64_t hash_line(Hash hash, std::string_view bound_text, LogFields fields) {
  hash.add(bound_text);
  for (const LogField& field : fields) {
    const auto* text = std::get_if<std::string_view>(&field.value);
    if (text == nullptr) continue;
    hash.add(field.key);
    if (std::ranges::find(kWords, field.key) != kWords.end()) {
      add_words(hash, *text);
    } else {
      hash.add(*text);
    }
  }
  return hash.sum();
}

std::optional<LogRate::LeftOut> admit(LogRate& rate, Severity severity, std::string_view message,
                                      std::string_view bound_text, LogFields fields, MonoTime now) {
  Hash hash;
  hash.add(message);
  if (severity == Severity::info) return rate.admit_info(hash.sum(), now);
  return rate.admit(hash.sum(), hash_line(hash, bound_text, fields), now);
}

void append_left_out(Buffer& out, LogFormat format, const LogRate::LeftOut& left_out) {
  if (left_out.repeated > 0) append_fields(out, format, {{"repeated", left_out.repeated}});
  if (left_out.suppressed > 0) append_fields(out, format, {{"suppressed", left_out.suppressed}});
}

}  // namespace

LogBackend::LogBackend(const TimeSource& time, LogFormat format, Write write)
    : time_(time), format_(format), write_(std::move(write)), rate_(std::make_shared<LogRate>()) {}

void LogBackend::log(Severity severity, std::string_view message, std::string_view bound_text,
                     LogFields fields, SourceLocation where) {
  std::optional<LogRate::LeftOut> left_out = LogRate::LeftOut{};
  if (severity != Severity::info || verbosity_ < kEveryLine) {
    left_out = admit(*rate_, severity, message, bound_text, fields, time_.now());
    if (!left_out) return;
  }
  Buffer line;
  const auto append_head = format_ == LogFormat::json ? append_json_head : append_text_head;
  append_head(line, time_.wall_now(), severity, where);
  append_quoted(line, message);
  append(line, bound_text);
  append_fields(line, format_, fields);
  append_left_out(line, format_, *left_out);
  if (format_ == LogFormat::json) line.push_back('}');
  write_(severity, std::string_view(line.data(), line.size()));
}

LogBackend::Write write_to_stderr() {
  auto logger =
      std::make_shared<spdlog::logger>("", std::make_shared<spdlog::sinks::stderr_sink_st>());
  logger->set_pattern("%v");
  logger->flush_on(spdlog::level::trace);
  logger->set_error_handler([](const std::string&) {});
  return [logger](Severity, std::string_view line) {
    logger->log(spdlog::level::info, spdlog::string_view_t(line.data(), line.size()));
  };
}

void Logger::info(std::string_view message, LogFields fields, SourceLocation where) const {
  log(Severity::info, message, fields, where);
}

void Logger::warning(std::string_view message, LogFields fields, SourceLocation where) const {
  log(Severity::warning, message, fields, where);
}

void Logger::error(std::string_view message, LogFields fields, SourceLocation where) const {
  log(Severity::error, message, fields, where);
}

Logger Logger::with(LogFields fields) const {
  Logger bound = *this;
  if (backend_ == nullptr) return bound;
  Buffer text;
  append_fields(text, backend_->format(), fields);
  bound.bound_.append(text.data(), text.size());
  return bound;
}

void Logger::log(Severity severity, std::string_view message, LogFields fields,
                 SourceLocation where) const {
  if (backend_ != nullptr) backend_->log(severity, message, bound_, fields, where);
}

bool RepeatGuard::should_log(std::string_view message) {
  const MonoTime now = time_.now();
  if (message == last_message_ && now - last_time_ < interval_) return false;
  last_message_ = message;
  last_time_ = now;
  return true;
}

}  // namespace dcm::runtime
