// Structured logging in the manner of klog: a constant message, fields, and verbosity by number.
//
//   log.info("Pod bound", {{"pod", pod.str()}, {"node", name}});
//   if (log.v(4)) log.info("Item queued", {{"item", describe(item)}});
//
// Text lines have klog's format (I = info, W = warning, E = error; UTC; process; source line):
//   I1121 14:38:04.123456   12345 binder.cpp:42] "Pod bound" pod="lab/trainer-0" node="worker-7"
// JSON lines are like component-base's:
//   {"ts":1763735884123.456,"caller":"binder.cpp:42","level":"info","msg":"Pod bound","pod":…}
// Warnings and errors are rate-limited (log_rate.hpp): the first one about an object is logged,
// then with back-off and a count of suppressed ones; so callers need no limit of their own. Two are
// equal if message and fields are, ignoring numbers, and digits and quoted names in other programs'
// text (kWords in log.cpp). Info lines are limited by message, below -v=4. Long values are cut. The
// caller promises that no field holds a token, a key or an Authorization header.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <variant>

#include "runtime/error.hpp"
#include "runtime/time.hpp"

namespace dcm::runtime {

enum class LogFormat { text, json };
enum class Severity { info, warning, error };

// A key and a value that live until the end of the statement.
struct LogField {
  using Value = std::variant<std::string_view, std::int64_t, std::uint64_t, double, bool>;

  LogField(std::string_view k, std::string_view v) : key(k), value(v) {}
  LogField(std::string_view k, const std::string& v) : key(k), value(std::string_view(v)) {}
  LogField(std::string_view k, const char* v) : key(k), value(std::string_view(v)) {}
  LogField(std::string_view k, bool v) : key(k), value(v) {}
  LogField(std::string_view k, double v) : key(k), value(v) {}
  LogField(std::string_view k, std::int64_t v) : key(k), value(v) {}
  LogField(std::string_view k, std::uint64_t v) : key(k), value(v) {}
  LogField(std::string_view k, int v) : key(k), value(std::int64_t{v}) {}
  LogField(std::string_view k, unsigned v) : key(k), value(std::uint64_t{v}) {}

  std::string_view key;
  Value value;
};

using LogFields = std::initializer_list<LogField>;
using SourceLocation = std::source_location;

class LogRate;

// Where lines are written, and which ones; one per process, shared by all loggers.
class LogBackend {
 public:
  using Write = std::function<void(Severity, std::string_view line)>;

  // `write` receives whole lines without a newline. `time` must outlive the backend.
  LogBackend(const TimeSource& time, LogFormat format, Write write);

  // Messages up to this verbosity are written: 0 for operators, 2 each write to the API, 4 each
  // decision, 6 each request, 9 everything.
  void set_verbosity(int verbosity) noexcept { verbosity_ = verbosity; }
  int verbosity() const noexcept { return verbosity_; }

  void log(Severity severity, std::string_view message, std::string_view bound_text,
           LogFields fields, SourceLocation where);
  LogFormat format() const noexcept { return format_; }

 private:
  const TimeSource& time_;
  LogFormat format_;
  Write write_;
  std::shared_ptr<LogRate> rate_;
  int verbosity_ = 0;
};

// Standard error through spdlog. A full disk or a closed stderr loses lines, never the process.
LogBackend::Write write_to_stderr();

// A cheap copyable handle: a backend and the fields that every message of its owner carries.
class Logger {
 public:
  // Logs nothing.
  Logger() = default;
  explicit Logger(std::shared_ptr<LogBackend> backend) : backend_(std::move(backend)) {}

  // Whether messages of this verbosity are logged.
  bool v(int verbosity) const noexcept {
    return backend_ != nullptr && verbosity <= backend_->verbosity();
  }
  void info(std::string_view message, LogFields fields = {},
            SourceLocation where = SourceLocation::current()) const;
  void warning(std::string_view message, LogFields fields = {},
               SourceLocation where = SourceLocation::current()) const;
  void error(std::string_view message, LogFields fields = {},
             SourceLocation where = SourceLocation::current()) const;

  // A logger whose messages carry these fields as well.
  Logger with(LogFields fields) const;

 private:
  void log(Severity severity, std::string_view message, LogFields fields,
           SourceLocation where) const;

  std::shared_ptr<LogBackend> backend_;
  std::string bound_;  // already encoded
};

// Lets a message through if it differs from the last one, otherwise once per `interval`: for a
// lasting fault that each attempt finds again.
class RepeatGuard {
 public:
  RepeatGuard(const TimeSource& time, Duration interval) : time_(time), interval_(interval) {}

  bool should_log(std::string_view message);
  // After a success, the same fault is logged again.
  void reset() { last_message_.clear(); }

 private:
  const TimeSource& time_;
  Duration interval_;
  std::string last_message_;
  MonoTime last_time_{};
};

}  // namespace dcm::runtime
