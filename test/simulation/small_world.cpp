#include "test/simulation/small_world.hpp"

#include <algorithm>
#include <list>

#include <fmt/format.h>

#include "test/simulation/collectors.hpp"
#include "test/simulation/faulty_server.hpp"
#include "test/simulation/fixed_point.hpp"
#include "test/simulation/replica.hpp"

namespace dcm::simulation {
namespace {

using namespace std::chrono_literals;
using runtime::sleep_for;
using runtime::Task;

// Nothing is in progress any longer, not even a retry.
constexpr runtime::Duration kQuiet = 60s;
// Until caches are synced and there is a leader.
constexpr runtime::Duration kBeginning = 20s;
// Longer than another one takes to become leader: a leader is frozen, or time passes while messages
// wait.
constexpr runtime::Duration kUntilAnotherLeads = 40s;
// Apart from work in progress, a stop writes the lease.
constexpr runtime::Duration kPromptStop = 15s;
// How long actions wait for retries and takeovers if nothing else happens.
constexpr runtime::Duration kPatience = 3s;

apiserver::ServerOptions server_options() {
  apiserver::ServerOptions options{.log_limit = 0};
  options.watches.watch_list = apiserver::WatchServing::WatchList::refused;
  options.ownership = apiserver::Ownership::of_applied;
  return options;
}

const char* reason_of(int status) {
  if (status == 422) return "Invalid";
  return status == 403 ? "Forbidden" : "InternalError";
}

class Exploration final : MessageScheduler {
 public:
  Exploration(const SmallWorld& world, Choices& choices, Detail detail);
  SmallVerdict run();

 private:
  // A message that waits for its turn.
  struct Parcel {
    Message message;
    std::string what;
    bool has_turn = false;
    Fate fate = Fate::arrives;

    bool is_of_write() const { return message != Message::news && !what.starts_with("GET "); }
  };
  struct Option {
    std::string what;
    std::function<void()> take;
  };

  std::string name_of(const http::Request& request) const override;
  Task<Fate> carry(Message message, std::string what) override;
  Task<> live();
  Task<> begin(runtime::TaskGroup& managers);
  Task<> act_before();
  Task<> explore();
  std::vector<Option> options();
  void add_messages(std::vector<Option>& options);
  void add_faults(std::vector<Option>& options);
  void release(Parcel& parcel, Fate fate);
  bool has_acts_left() const;
  Trouble trouble();
  Replica* leader();
  Task<> freeze(Replica& replica);
  // The status that it is refused with; 0: it is not refused.
  int refusal_of(const apiserver::LoggedRequest& request) const;
  void watch_server();

  void observe_stop(const std::string& process, runtime::Duration took);
  std::optional<Breach> breach_of_reports() const;

  const SmallWorld& world_;
  Choices& choices_;
  runtime::VirtualLoop loop_;
  Timeline timeline_;
  apiserver::Server server_;
  http::PipeNetwork network_;
  FaultyServer faulty_server_;
  Safety safety_;
  ActorContext context_;
  SmallWorkload workload_;
  Collectors collectors_;
  dra_manager::Options manager_options_;
  std::list<Replica> replicas_;
  std::list<Parcel*> waiting_;
  runtime::Condition turn_;
  std::vector<std::size_t> next_acts_;  // of each script
  std::size_t losses_, doubles_, lost_answers_, pauses_;
  bool pauses_now_ = false;
  bool paused_in_write_ = false;
  bool has_refused_event_ = false;
  int refuses_ = 0;
  int refuses_look_ups_ = 0;
  std::optional<Breach> breach_of_stop_;
  runtime::TaskGroup tasks_;
};

Exploration::Exploration(const SmallWorld& world, Choices& choices, Detail detail)
    : world_(world),
      choices_(choices),
      loop_(runtime::Rng(1)),
      timeline_(loop_.time(), detail),
      server_(loop_.time(), runtime::Rng(2), server_options()),
      network_(loop_.time()),
      faulty_server_(loop_, network_, server_, runtime::Rng(3)),
      safety_(loop_.time()),
      context_{loop_, server_, safety_.cluster(), timeline_, 24h},
      workload_(context_),
      collectors_(context_, runtime::Rng(4)),
      turn_(loop_.time()),
      next_acts_(world.scripts.size()),
      losses_(world.losses),
      doubles_(world.doubles),
      lost_answers_(world.lost_answers),
      pauses_(world.pauses),
      tasks_(loop_.executor()) {
  manager_options_.kube_api_http2 = false;
  manager_options_.leader_election.reset();
  if (world.managers > 1)
    manager_options_.leader_election.emplace(dra_manager::default_election()).timing.retry_period =
        5s;
  manager_options_.concurrent_resource_claim_syncs = 2;
  manager_options_.concurrent_device_taint_eviction_syncs = 2;
  manager_options_.features.generic_workload = world.has_groups;
  manager_options_.features.dra_workload_resource_claims = world.has_groups;
  if (world.has_groups) server_.serve({.pod_groups = {"v1beta1"}});
  if (world.evicts) manager_options_.eviction_mode = device_taint_eviction::EvictionMode::evict;
  for (std::size_t i = 0; i < world.managers; ++i) {
    replicas_.emplace_back(
        Replica::Setup{fmt::format("manager-{}", i + 1), loop_, network_, timeline_,
                       manager_options_, ProcessClock::Freezing::possible, runtime::Rng(5 + i),
                       [this](const auto& name, auto took) { observe_stop(name, took); }});
  }
  faulty_server_.request_faults().latency_max = 1us;
  faulty_server_.request_faults().strips_annotations = world.strips_annotations;
  watch_server();
}

int Exploration::refusal_of(const apiserver::LoggedRequest& request) const {
  if (request.resource == "leases" || !is_manager(request.user_agent)) return 0;
  if (request.is_write()) return refuses_;
  return request.verb == "get" ? refuses_look_ups_ : 0;
}

void Exploration::watch_server() {
  server_.before(
      [this](const apiserver::LoggedRequest& request) -> std::optional<apiserver::Response> {
        safety_.begin(request, faulty_server_.came_in());
        const int status = refusal_of(request);
        if (status == 0) return std::nullopt;
        has_refused_event_ = has_refused_event_ || request.resource == "events";
        return apiserver::json_response(
            status, fmt::format(R"({{"kind":"Status","apiVersion":"v1","status":"Failure",)"
                                R"("message":"{}","reason":"{}","code":{}}})",
                                kDeniedByAdmission, reason_of(status), status));
      });
  server_.after([this](const apiserver::LoggedRequest& request, apiserver::Response& response) {
    safety_.end(request, response);
    timeline_.note(request, response.status);
  });
  faulty_server_.on_arrival([this](const http::Request& request) {
    const std::string sender = fenced_sender(request);
    if (sender.empty() || !manager_options_.leader_election) return;
    safety_.observe_arrival(sender, request.target, lease_holder(server_));
  });
  server_.on_change([this](std::string_view resource, const apiserver::Change& change) {
    faulty_server_.committed(change.revision);
    safety_.observe(resource, change);
  });
}

// ---- messages -----------------------------------------------------------------------------------

bool Exploration::has_acts_left() const {
  for (std::size_t i = 0; i < world_.scripts.size(); ++i) {
    if (next_acts_[i] < world_.scripts[i].acts.size()) return true;
  }
  return false;
}

std::string Exploration::name_of(const http::Request& request) const {
  const std::string path = path_of(request);
  const bool is_of_lease = path.find("/leases") != path.npos;
  const bool is_of_event = path.find("/events") != path.npos;
  const bool is_list = request.method == http::Method::get && !world_.ordered_list.empty() &&
                       last_of_path(request) == world_.ordered_list;
  const bool waits = (is_of_lease && world_.orders_leases && has_acts_left()) ||
                     (is_of_event && world_.orders_events) || is_list;
  if (!waits) return name_of_write(request);
  return fmt::format("{} {}", http::to_string(request.method), path);
}

// Any waiter may be cancelled: its process has ended.
Task<MessageScheduler::Fate> Exploration::carry(Message message, std::string what) {
  Parcel parcel{message, std::move(what)};
  struct Waiting {
    std::list<Parcel*>& all;
    std::list<Parcel*>::iterator mine;
    ~Waiting() { all.erase(mine); }
  } const waiting{waiting_, waiting_.insert(waiting_.end(), &parcel)};
  while (!parcel.has_turn) co_await turn_.wait();
  co_return parcel.fate;
}

void Exploration::release(Parcel& parcel, Fate fate) {
  parcel.fate = fate;
  parcel.has_turn = true;
  turn_.notify_all();
}

void Exploration::add_messages(std::vector<Option>& options) {
  constexpr std::array<const char*, 3> kNames = {"arrives", "is answered", "is shown"};
  for (Parcel* parcel : waiting_) {
    options.push_back(
        {fmt::format("{} {}", parcel->what, kNames[static_cast<std::size_t>(parcel->message)]),
         [this, parcel] { release(*parcel, Fate::arrives); }});
  }
}

void Exploration::add_faults(std::vector<Option>& options) {
  const auto add = [&](Parcel* parcel, std::size_t& left, Fate fate, const char* what) {
    if (left == 0) return;
    options.push_back({fmt::format("{} {}", parcel->what, what), [this, parcel, &left, fate] {
                         --left;
                         release(*parcel, fate);
                       }});
  };
  for (Parcel* parcel : waiting_) {
    if (parcel->message == Message::request) {
      add(parcel, losses_, Fate::is_lost, "is lost");
      add(parcel, doubles_, Fate::comes_twice, "comes twice");
    } else if (parcel->message == Message::answer) {
      add(parcel, lost_answers_, Fate::is_lost, "is carried out, its answer lost");
    }
  }
  if (pauses_ > 0 && !waiting_.empty()) {
    options.push_back({"40 s pass", [this] {
                         --pauses_;
                         pauses_now_ = true;
                         paused_in_write_ = paused_in_write_ ||
                                            std::ranges::any_of(waiting_, [](const Parcel* parcel) {
                                              return parcel->is_of_write();
                                            });
                       }});
  }
}

// The oldest message first, then actions of actors, then faults.
std::vector<Exploration::Option> Exploration::options() {
  std::vector<Option> all;
  add_messages(all);
  for (std::size_t i = 0; i < world_.scripts.size(); ++i) {
    const SmallWorld::Script& script = world_.scripts[i];
    if (next_acts_[i] == script.acts.size()) continue;
    all.push_back({fmt::format("{} does number {}", script.who, next_acts_[i] + 1), [this, i] {
                     const auto act = world_.scripts[i].acts[next_acts_[i]++];
                     act(workload_, trouble());
                   }});
  }
  add_faults(all);
  return all;
}

// ---- trouble ------------------------------------------------------------------------------------

Replica* Exploration::leader() {
  if (!manager_options_.leader_election) return &replicas_.front();
  const auto found = std::ranges::find(replicas_, lease_holder(server_), &Replica::process_name);
  return found == replicas_.end() ? nullptr : &*found;
}

Task<> Exploration::freeze(Replica& replica) {
  replica.freeze();
  co_await sleep_for(loop_.time(), kUntilAnotherLeads);
  co_await replica.thaw();
}

Trouble Exploration::trouble() {
  return {.kill_leader =
              [this] {
                if (Replica* replica = leader()) replica->die();
              },
          .freeze_leader =
              [this] {
                if (Replica* replica = leader()) tasks_.spawn("freeze", freeze(*replica));
              },
          .stop_leader =
              [this] {
                Replica* const found = leader();
                (found != nullptr ? *found : replicas_.front()).command(Replica::Order::stop);
              },
          .cut_connections = [this] { network_.cut_all(); },
          .relist =
              [this] {
                server_.compact_history();
                server_.end_watches();
              },
          .gap =
              [this] {
                server_.compact_history();
                network_.cut_all();
              },
          .refuse = [this](int status) { refuses_ = status; },
          .refuse_look_ups = [this](int status) { refuses_look_ups_ = status; },
          .take_lease =
              [this] {
                safety_.allow_two_leaders();
                put_into_lease(server_, "somebody else");
              }};
}

// ---- its course ---------------------------------------------------------------------------------

// Until nothing happens any longer. Each step takes a millisecond, so that everything ready has
// run.
Task<> Exploration::explore() {
  runtime::MonoTime last = loop_.time().now();
  while (loop_.time().now() - last < kQuiet) {
    co_await sleep_for(loop_.time(), 1ms);
    if (waiting_.empty()) co_await sleep_for(loop_.time(), kPatience);
    if (!safety_.breaches().empty() || choices_.has_diverged()) co_return;
    const std::vector<Option> all = options();
    if (all.empty()) continue;
    const Option& chosen = all[choices_.choose(all.size())];
    timeline_.note("ORDER", chosen.what);
    chosen.take();
    if (std::exchange(pauses_now_, false)) co_await sleep_for(loop_.time(), kUntilAnotherLeads);
    last = loop_.time().now();
  }
}

Task<> Exploration::act_before() {
  for (const SmallWorld::Act& act : world_.before) {
    act(workload_, trouble());
    co_await sleep_for(loop_.time(), kPatience);
  }
  timeline_.note("ORDER", "begins");
  faulty_server_.set_message_scheduler(this);
}

Task<> Exploration::begin(runtime::TaskGroup& managers) {
  if (world_.includes_start) co_await act_before();
  for (Replica& replica : replicas_) managers.spawn("manager", replica.run());
  if (world_.includes_start) co_return;
  co_await sleep_for(loop_.time(), kBeginning);
  co_await act_before();
}

Task<> Exploration::live() {
  faulty_server_.start();
  workload_.publish_device();
  tasks_.spawn("collectors", collectors_.run());
  runtime::TaskGroup managers(loop_.executor());
  co_await begin(managers);
  co_await explore();
  faulty_server_.set_message_scheduler(nullptr);
  for (Replica& replica : replicas_) replica.command(Replica::Order::end);
  co_await managers.join();
  tasks_.cancel();
  co_await tasks_.join();
  co_await faulty_server_.stop();
}

// Another manager need not wait until the lease runs out. Only work in progress takes time.
void Exploration::observe_stop(const std::string& process, runtime::Duration took) {
  if (lease_holder(server_) == process) {
    breach_of_stop_ = Breach{"who stops releases the lease", process};
  }
  if (took > kPromptStop && !paused_in_write_) {
    breach_of_stop_ = Breach{"who has nothing in hand stops at once", process};
  }
}

// The events of a process that ends are lost with it, and a refused event is not written again.
std::optional<Breach> Exploration::breach_of_reports() const {
  const bool has_ended = std::ranges::any_of(
      replicas_, [](const Replica& replica) { return replica.processes() > 1; });
  return has_ended || has_refused_event_ ? std::nullopt : safety_.reports().breach_at_end();
}

SmallVerdict Exploration::run() {
  loop_.run(live());
  SmallVerdict verdict{.timeline = timeline_.text()};
  if (!safety_.breaches().empty()) {
    verdict.breach = safety_.breaches().front();
    return verdict;
  }
  for (const Replica& replica : replicas_) {
    if (!replica.failure().empty()) verdict.breach = Breach{"no part fails", replica.failure()};
  }
  if (breach_of_stop_) verdict.breach = breach_of_stop_;
  if (const auto breach = breach_of_reports()) verdict.breach = breach;
  auto missing = missing_at_fixed_point(safety_, loop_.time().wall_now());
  std::erase_if(missing, &Missing::is_held_up_by_owner);
  if (!missing.empty()) verdict.breach = missing.front();
  if (choices_.has_diverged()) verdict.breach = Breach{"an order can be repeated", ""};
  return verdict;
}

}  // namespace

SmallVerdict run_small_world(const SmallWorld& world, Choices& choices, Detail detail) {
  Exploration exploration(world, choices, detail);
  return exploration.run();
}

}  // namespace dcm::simulation
