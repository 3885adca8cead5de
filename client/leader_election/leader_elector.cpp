#include "client/leader_election/leader_elector.hpp"

#include <algorithm>
#include <utility>

#include "client/api/encode_lease.hpp"

namespace dcm::leader_election {
namespace {

using client::ApiRequest;
using runtime::Deadline;
using runtime::Task;

constexpr Duration kFailureLogInterval = std::chrono::minutes(1);
constexpr std::size_t kLeaseBytesMax = 1024 * 1024;

constexpr const char* kRestored =
    "the API server has gone back to an earlier state: its etcd was restored";

api::Resource leases() {
  return {&api::kLeases, std::string(api::kLeases.versions.front())};
}

}  // namespace

LeaderElector::LeaderElector(Dependencies dependencies, api::NamespacedName lease, Candidate self,
                             runtime::Rng rng, runtime::Logger log)
    : deps_(dependencies),
      lease_(std::move(lease)),
      self_(std::move(self)),
      rng_(rng),
      log_(log.with({{"lease", lease_.str()}})),
      stop_requested_(deps_.time),
      failure_guard_(deps_.time, kFailureLogInterval),
      is_master_(deps_.metrics.gauge(
          "leader_election_master_status",
          "[ALPHA] Gauge of if the reporting system is master of the relevant lease, 0 indicates "
          "backup, 1 indicates master. 'name' is the string used to identify the lease. Please "
          "make sure to group by name.",
          {{"name", lease_.name.str()}})),
      slow_paths_(deps_.metrics.counter(
          "leader_election_slowpath_total",
          "[ALPHA] Total number of slow path exercised in renewing leader leases. 'name' is the "
          "string used to identify the lease. Please make sure to group by name.",
          {{"name", lease_.name.str()}})),
      renew_age_(deps_.metrics.gauge(
          "program_lease_renew_age_seconds",
          "[ALPHA] Seconds since the last successful renewal of the lease was sent; 0 for an "
          "instance that does not lead.")),
      is_others_(deps_.metrics.gauge(
          "program_lease_held_by_other",
          "[ALPHA] 1 while another process holds the lease. If all instances say 1, the holder is "
          "none of them.")),
      refresh_(deps_.metrics.before_exposition([this] { refresh_gauges(); })) {}

LeaderElector::~LeaderElector() {
  if (fence_timer_) deps_.time.cancel(*fence_timer_);
}

Task<> LeaderElector::look() {
  co_await send(client::get_request(leases(), lease_));
}

Task<> LeaderElector::run() {
  while (!is_over_) {
    if (is_stopping_) move_to(begin_release(std::move(state_)));
    Step step = next_step(state_, self_, {deps_.time.now(), deps_.time.wall_now()});
    if (auto* ended = std::get_if<Ended>(&step)) {
      move_to(std::move(*ended));
    } else if (const auto* wait = std::get_if<Wait>(&step)) {
      co_await stop_requested_.wait(Deadline(wait->until));
    } else if (auto* what = std::get_if<Write>(&step)) {
      co_await write(std::move(*what));
    } else {
      co_await read();
    }
  }
}

void LeaderElector::stop() {
  is_stopping_ = true;
  deps_.fence.close();
  if (fence_timer_) deps_.time.cancel(*std::exchange(fence_timer_, std::nullopt));
  stop_requested_.notify_all();
}

Task<> LeaderElector::read() {
  if (is_leading()) slow_paths_.Increment();
  const Answer answer = co_await send(client::get_request(leases(), lease_));
  report("read", answer);
  move_to(observe_read(std::move(state_), self_, answer));
  report_holder();
}

Task<> LeaderElector::write(Write write) {
  Result<std::string> body = write.kind == Write::Kind::create
                                 ? api::encode_lease(lease_, write.spec)
                                 : api::encode_lease_update(stored_, write.spec);
  if (!body) {  // Nothing was sent, so this counts as a refused write.
    const MonoTime now = deps_.time.now();
    co_return take_written({runtime::fail(std::move(body.error())), now, now, rng_.unit()});
  }
  ApiRequest request =
      write.kind == Write::Kind::create
          ? client::create_request(leases(), lease_.namespace_.str(), {std::move(*body)})
          : client::update_request(leases(), lease_, std::move(*body));
  const Answer answer = co_await send(std::move(request));
  take_written(answer);
}

void LeaderElector::take_written(const Answer& answer) {
  report("written", answer);
  move_to(observe_write(std::move(state_), self_, answer));
}

// No retries below: each failure is followed by a new decision.
Task<Answer> LeaderElector::send(ApiRequest request) {
  const MonoTime sent = deps_.time.now();
  request.priority = client::PriorityLevel::exempt;
  request.fencing = client::Fencing::unfenced;
  request.retries = client::Retries::none;
  request.answer_bytes_max = kLeaseBytesMax;
  request.deadline = Deadline(request_deadline(state_, self_, sent));
  const bool is_read = request.verb == client::Verb::get;
  Result<http::Response> response = co_await deps_.rest.send(std::move(request));
  if (is_read && !response && runtime::is_not_found(response.error())) {
    co_return Answer{std::nullopt, sent, deps_.time.now(), rng_.unit()};
  }
  const api::ResourceVersion last = meta_.resource_version;
  Answer answer{decode(std::move(response)), sent, deps_.time.now(), rng_.unit()};
  const bool is_known = api::ResourceVersion("0") < meta_.resource_version;
  // Reads are consistent, and requests follow each other: nothing else explains a smaller version.
  if (is_known && meta_.resource_version < last && !is_stopping_) {
    move_to(Ended{Ended::How::lost, kRestored});
  }
  co_return answer;
}

Result<std::optional<LeaseSpec>> LeaderElector::decode(Result<http::Response> answer) {
  if (!answer) return runtime::fail(std::move(answer.error()));
  Result<api::Lease> lease = api::decode_lease(answer->body);
  if (!lease) return runtime::fail(std::move(lease.error()));
  stored_ = std::move(answer->body);
  meta_ = std::move(lease->meta);
  return std::move(lease->spec);
}

void LeaderElector::move_to(State next) {
  // The fence closed while the answer was on its way.
  if (is_over_) return;
  const bool was_leading = is_leading();
  state_ = std::move(next);
  follow_fence();
  if (!was_leading && is_leading()) begin_leading();
  const auto* ended = std::get_if<Ended>(&state_);
  if (ended == nullptr) return;
  if (ended->how == Ended::How::lost) return lose(std::string(ended->why));
  is_over_ = true;
  if (leader_ == self_.identity) log_.info("The lease is released");
}

void LeaderElector::follow_fence() {
  if (fence_timer_) deps_.time.cancel(*std::exchange(fence_timer_, std::nullopt));
  const auto until = may_write_until(state_, self_);
  is_master_.Set(until ? 1 : 0);
  if (!until || is_stopping_) return deps_.fence.close();
  deps_.fence.open_until(*until);
  fence_timer_ = deps_.time.schedule(*until, [this, until = *until] {
    fence_timer_.reset();
    const MonoTime now = std::max(deps_.time.now(), until);
    const Step step = next_step(state_, self_, {now, deps_.time.wall_now()});
    lose(std::get<Ended>(step).why);
  });
}

void LeaderElector::begin_leading() {
  leader_ = self_.identity;
  const LeaseSpec& own = std::get<Leading>(state_).own;
  log_.info("Became the leader", {{"identity", leader_}, {"transitions", own.transitions}});
  if (!is_stopping_) deps_.callbacks.on_started_leading(meta_);
}

void LeaderElector::lose(std::string_view why) {
  is_over_ = true;
  deps_.fence.close();
  is_master_.Set(0);
  log_.error("Lost the lease", {{"why", why}});
  stop_requested_.notify_all();
  deps_.callbacks.on_lost(why);
}

std::optional<Duration> LeaderElector::failing() const {
  return failing_since_ ? std::optional(deps_.time.now() - *failing_since_) : std::nullopt;
}

void LeaderElector::report(std::string_view what, const Answer& answer) {
  if (answer.lease) {
    if (problem_) failure_guard_.reset();
    failing_since_.reset();
    return problem_.reset();
  }
  const runtime::Error& error = answer.lease.error();
  // Another candidate was faster, or the lease was edited.
  if (runtime::is_conflict(error) || error.reason == runtime::Reason::already_exists) return;
  if (!problem_) failing_since_ = deps_.time.now();
  problem_ = error;
  if (!failure_guard_.should_log(runtime::to_string(error.reason))) return;
  log_.warning("The lease could not be read or written; retrying",
               {{"operation", what}, {"error", runtime::to_string(error)}});
}

void LeaderElector::report_holder() {
  const auto* following = std::get_if<Following>(&state_);
  if (following == nullptr || !following->seen) return;
  const std::string& holder = following->seen->spec.holder;
  if (holder.empty() || std::exchange(leader_, holder) == holder) return;
  log_.info("Another process leads; standing by", {{"holder", holder}});
}

void LeaderElector::refresh_gauges() {
  const auto* leading = std::get_if<Leading>(&state_);
  const Duration age =
      leading == nullptr ? Duration::zero() : deps_.time.now() - leading->renewed_at;
  renew_age_.Set(runtime::in_seconds(age));
  is_others_.Set(is_held_by_other(state_, self_, deps_.time.now()) ? 1 : 0);
}

}  // namespace dcm::leader_election
