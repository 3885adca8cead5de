#include "client/auth/exec_credentials.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "runtime/condition.hpp"
#include "runtime/timestamp.hpp"
#include "runtime/turn.hpp"

namespace dcm::client {
namespace {

using namespace std::chrono_literals;
using runtime::Deadline;
using runtime::Duration;
using runtime::Error;
using runtime::fail;
using runtime::MonoTime;
using runtime::Reason;
using runtime::Result;
using runtime::Task;
using runtime::WallTime;

// How often the wall clock, which may jump, is checked.
constexpr Duration kLookMax = 1min;
constexpr Duration kLookMin = 1s;
constexpr Duration kRepeatWarning = 10min;
// Callers that grant a plugin's full time limit have read the clock a moment before us.
constexpr Duration kMoment = 1s;
// The fraction of a credential's life after which a new one is requested.
constexpr std::int64_t kRefreshNumerator = 4;
constexpr std::int64_t kRefreshDenominator = 5;

// The credential in use.
struct Held {
  std::string authorization;  // empty: a certificate alone
  bool has_certificate = false;
  std::optional<WallTime> expires;
  WallTime refresh_at;  // if it expires
  // According to our clock, the credential had expired when the plugin returned it. That clock may
  // be wrong, so it is used until the plugin returns another one.
  bool came_expired = false;
};

class ExecCredentials final : public Credentials {
 public:
  ExecCredentials(ExecCredentialsOptions options, std::unique_ptr<PluginRunner> runner,
                  UseCertificate use_certificate, runtime::TimeSource& time, runtime::Logger log)
      : options_(std::move(options)),
        runner_(std::move(runner)),
        use_certificate_(std::move(use_certificate)),
        time_(time),
        log_(std::move(log)),
        warned_(time, kRepeatWarning),
        warned_of_clock_(time, kRepeatWarning),
        run_ended_(time),
        keeper_(time) {}

  Task<Result<>> authorize(http::Headers& headers, Deadline deadline) override {
    if (!is_usable()) {
      const Result<> renewed = co_await renew(deadline);
      if (!renewed && !(held_ && held_->came_expired)) co_return renewed;
    }
    if (!held_->authorization.empty()) headers.set("Authorization", held_->authorization);
    co_return Result<>();
  }

  Task<Refreshed> refresh(std::string rejected, Deadline deadline) override {
    if (held_ && held_->authorization != rejected) co_return Refreshed::yes;
    const bool is_fresh = last_success_ && time_.now() < *last_success_ + options_.pause_after_run;
    // It is unknown which certificate was refused; the fresh one may not have been tried yet.
    if (is_fresh) co_return held_->has_certificate ? Refreshed::yes : Refreshed::no;
    const Result<> renewed = co_await renew(deadline);
    const bool is_new = renewed && (held_->authorization != rejected || held_->has_certificate);
    co_return is_new ? Refreshed::yes : Refreshed::no;
  }

  Task<> keep_fresh() override {
    const runtime::Turn keeping(is_kept_, run_ended_);
    while (true) {
      if (is_running_ || !(is_run_wanted_ || is_refresh_due())) {
        co_await keeper_.wait(Deadline::after(time_, until_look()));
        continue;
      }
      const Result<> renewed = co_await run(Deadline::after(time_, options_.timeout));
      if (!renewed && is_usable()) warn(renewed.error().message);
    }
  }

 private:
  // Wakes the tasks that wait for a run, whatever its result.
  class Running {
   public:
    explicit Running(ExecCredentials& owner) : owner_(owner) {
      owner_.is_running_ = true;
      owner_.is_run_wanted_ = false;
    }
    ~Running() {
      owner_.is_running_ = false;
      owner_.run_ended_.notify_all();
      owner_.keeper_.notify_all();
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    ExecCredentials& owner_;
  };

  // Whether the credential can be used without running the plugin first.
  bool is_usable() const {
    if (!held_) return false;
    if (held_->came_expired) return is_running_ || time_.now() < next_try_;
    return !held_->expires || time_.wall_now() < *held_->expires;
  }

  bool is_refresh_due() const {
    if (!held_ || !held_->expires || time_.wall_now() < held_->refresh_at) return false;
    return !(failure_ || held_->came_expired) || time_.now() >= next_try_;
  }

  // How long until something may be due.
  Duration until_look() const {
    if (!held_ || !held_->expires) return kLookMax;
    Duration wait = held_->refresh_at - time_.wall_now();
    if (failure_ || held_->came_expired) wait = std::max(wait, next_try_ - time_.now());
    return std::clamp(wait, kLookMin, kLookMax);
  }

  // Gets a credential newer than the current one from the run in progress, or else from a new run.
  // keep_fresh() runs the plugin where it can, because a plugin may need longer than this caller
  // has.
  Task<Result<>> renew(Deadline deadline) {
    const std::uint64_t before = successes_;
    while (successes_ == before) {
      if (!is_running_) {
        if (failure_ && time_.now() < next_try_) co_return fail(*failure_);
        if (!is_kept_) co_return co_await run(deadline);
        is_run_wanted_ = true;
        keeper_.notify_all();
      }
      const auto outcome = co_await run_ended_.wait(deadline);
      if (outcome == runtime::Condition::Wakeup::timed_out) {
        co_return fail(Reason::deadline_exceeded,
                       options_.plugin.describe() + " had not ended by the deadline");
      }
    }
    co_return Result<>();
  }

  Task<Result<>> run(Deadline deadline) {
    const Running running(*this);
    const Deadline own = Deadline::after(time_, options_.timeout);
    // If the caller has less time than the plugin may take, the plugin has not failed.
    const bool is_hurried = deadline < Deadline::after(time_, options_.timeout - kMoment);
    const Result<std::string> output =
        co_await runner_->run(options_.plugin, options_.exec_info, std::min(deadline, own));
    if (!output && output.error().reason == Reason::deadline_exceeded && is_hurried) {
      co_return fail(output.error());
    }
    co_return note(output ? accept(*output) : Result<>(fail(output.error())));
  }

  Result<> note(Result<> result) {
    if (result) {
      failure_.reset();
      last_success_ = time_.now();
      warned_.reset();
    } else {
      failure_ = result.error();
    }
    if (result && !held_->came_expired) {
      pause_ = {};
    } else {
      pause_ = options_.pause_after_failure.after(pause_);
      next_try_ = time_.now() + pause_;
    }
    return result;
  }

  Result<> accept(const std::string& output) {
    auto credential = decode_exec_credential(output, options_.plugin.api_version);
    if (!credential) return blame(credential.error().message);
    const bool had_certificate = held_ && held_->has_certificate;
    if (had_certificate || !credential->certificate_pem.empty()) {
      const Result<> used = use_certificate_({credential->certificate_pem, credential->key_pem});
      if (!used) return blame("its client certificate cannot be used: " + used.error().message);
    }
    hold(*credential);
    return {};
  }

  void hold(const ExecCredential& credential) {
    const WallTime now = time_.wall_now();
    held_ = Held{.authorization = credential.token.empty() ? "" : "Bearer " + credential.token,
                 .has_certificate = !credential.certificate_pem.empty(),
                 .expires = credential.expires,
                 .refresh_at = now,
                 .came_expired = credential.expires && *credential.expires <= now};
    if (held_->came_expired) {
      warn_of_clock(*held_->expires);
    } else if (held_->expires) {
      held_->refresh_at += (*held_->expires - now) / kRefreshDenominator * kRefreshNumerator;
    }
    ++successes_;
  }

  std::unexpected<Error> blame(std::string_view what) const {
    return fail(Reason::configuration, fmt::format("{}: {}", options_.plugin.describe(), what));
  }

  void warn(const std::string& problem) {
    if (warned_.should_log(problem)) {
      log_.warning("Cannot renew credentials; keeping the last ones", {{"error", problem}});
    }
  }

  void warn_of_clock(WallTime expired) {
    if (!warned_of_clock_.should_log("expired")) return;
    log_.warning("Credentials of the plugin have expired by this machine's clock; using them",
                 {{"plugin", options_.plugin.command}, {"expired", runtime::timestamp(expired)}});
  }

  ExecCredentialsOptions options_;
  std::unique_ptr<PluginRunner> runner_;
  UseCertificate use_certificate_;
  runtime::TimeSource& time_;
  runtime::Logger log_;
  runtime::RepeatGuard warned_;
  runtime::RepeatGuard warned_of_clock_;
  runtime::Condition run_ended_;
  runtime::Condition keeper_;  // wakes keep_fresh()
  bool is_kept_ = false;       // keep_fresh() runs
  bool is_running_ = false;
  bool is_run_wanted_ = false;  // by a request; keep_fresh() has not begun it yet
  std::uint64_t successes_ = 0;
  std::optional<MonoTime> last_success_;
  std::optional<Held> held_;
  std::optional<Error> failure_;  // of the last run
  MonoTime next_try_{};           // after a failure, or a credential that was already expired
  Duration pause_{};              // the last pause
};

}  // namespace

std::unique_ptr<Credentials> make_exec_credentials(ExecCredentialsOptions options,
                                                   std::unique_ptr<PluginRunner> runner,
                                                   UseCertificate use_certificate,
                                                   runtime::TimeSource& time, runtime::Logger log) {
  return std::make_unique<ExecCredentials>(std::move(options), std::move(runner),
                                           std::move(use_certificate), time, std::move(log));
}

}  // namespace dcm::client
