#include "runtime/log.hpp"

#include <chrono>
#include <iterator>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include "runtime/one_line.hpp"

namespace dcm::runtime {
namespace {

using Buffer = fmt::memory_buffer;

void append(Buffer& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

// The escape that JSON has for it, or nothing.
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
// terminal takes any of it for a command.
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

void append_value(Buffer& out, const LogField::Value& value) {
  if (const auto* text = std::get_if<std::string_view>(&value)) return append_quoted(out, *text);
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

void append_text_head(Buffer& out, WallTime now, Severity severity, std::string_view message) {
  const auto micros = std::chrono::floor<std::chrono::microseconds>(now);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(micros);
  out.push_back(severity == Severity::info ? 'I' : severity == Severity::warning ? 'W' : 'E');
  fmt::format_to(std::back_inserter(out), "{:%m%d %H:%M:%S}.{:06} ",
                 fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)),
                 (micros - seconds).count());
  append_quoted(out, message);
}

void append_json_head(Buffer& out, WallTime now, Severity severity, std::string_view message) {
  const auto micros = std::chrono::floor<std::chrono::microseconds>(now).time_since_epoch().count();
  fmt::format_to(std::back_inserter(out), R"({{"ts":{}.{:03},"level":"{}","msg":)", micros / 1000,
                 micros % 1000, name(severity));
  append_quoted(out, message);
}

}  // namespace

LogBackend::LogBackend(const TimeSource& time, LogFormat format, Write write)
    : time_(time), format_(format), write_(std::move(write)) {}

void LogBackend::log(Severity severity, std::string_view message, std::string_view bound_text,
                     LogFields fields) {
  Buffer line;
  if (format_ == LogFormat::json) {
    append_json_head(line, time_.wall_now(), severity, message);
  } else {
    append_text_head(line, time_.wall_now(), severity, message);
  }
  append(line, bound_text);
  append_fields(line, format_, fields);
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

void Logger::info(std::string_view message, LogFields fields) const {
  log(Severity::info, message, fields);
}

void Logger::warning(std::string_view message, LogFields fields) const {
  log(Severity::warning, message, fields);
}

void Logger::error(std::string_view message, LogFields fields) const {
  log(Severity::error, message, fields);
}

Logger Logger::with(LogFields fields) const {
  Logger bound = *this;
  if (backend_ == nullptr) return bound;
  Buffer text;
  append_fields(text, backend_->format(), fields);
  bound.bound_.append(text.data(), text.size());
  return bound;
}

void Logger::log(Severity severity, std::string_view message, LogFields fields) const {
  if (backend_ != nullptr) backend_->log(severity, message, bound_, fields);
}

bool RepeatGuard::should_log(std::string_view message) {
  const MonoTime now = time_.now();
  if (message == last_message_ && now - last_time_ < interval_) return false;
  last_message_ = message;
  last_time_ = now;
  return true;
}

}  // namespace dcm::runtime
