// The API server as its clients reach it: over HTTP, with the current faults.
//
// A received request is executed even if its client has disconnected, as in a real server; so
// answers are lost, and creates are executed late.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "apiserver/front/server.hpp"
#include "runtime/condition.hpp"
#include "runtime/http/pipe.hpp"
#include "runtime/http/server.hpp"
#include "runtime/loop.hpp"
#include "runtime/rng.hpp"
#include "runtime/task_group.hpp"
#include "test/simulation/message_scheduler.hpp"
#include "test/simulation/request_faults.hpp"

namespace dcm::simulation {

class FaultyServer {
 public:
  // All references must outlive it.
  FaultyServer(runtime::VirtualLoop& loop, http::PipeNetwork& network, apiserver::Server& server,
               runtime::Rng rng);

  // `age_max`: a connection ends when it is older, with HTTP/2 by a GOAWAY.
  void start(runtime::Duration age_max = runtime::Duration::max());
  // Every connection breaks, pending requests are never executed, and nobody listens.
  runtime::Task<> stop();

  // They may be changed at any time; then call request_faults_changed().
  RequestFaults& request_faults() { return request_faults_; }
  void request_faults_changed() { changed_.notify_all(); }

  // Called when a request has arrived, before anything happens to it.
  using Arrival = std::function<void(const http::Request&)>;
  void on_arrival(Arrival arrival) { arrival_ = std::move(arrival); }
  // Called right before a request is executed.
  void on_carry_out(Arrival hook) { on_carry_out_ = std::move(hook); }
  // Decides from now on when writes, their answers and events proceed; null: at once. Must outlive
  // the server.
  void set_message_scheduler(MessageScheduler* scheduler) { message_scheduler_ = scheduler; }
  // The server has committed a change.
  void committed(apiserver::Revision revision);
  // Received writes that may still be executed, some of them for the second time.
  std::size_t writes_on_their_way() const { return writes_on_their_way_; }
  // When the current request arrived; for one of our actors: now.
  runtime::MonoTime came_in() const { return came_in_.value_or(loop_.time().now()); }

 private:
  struct Exchange;
  class OnItsWay;
  class Answers;

  runtime::Task<> answer(http::Request request, http::Responder& responder);
  runtime::Task<> wait_for_list(std::string resource);
  runtime::Task<> watch(http::Request request, http::Responder& responder);
  runtime::Task<> carry_out(std::shared_ptr<Exchange> exchange);
  runtime::Task<> carry_out_again(http::Request request, std::string what,
                                  runtime::MonoTime came_in);
  runtime::Task<std::optional<http::Response>> ask(http::Request request,
                                                   runtime::MonoTime came_in);
  // Whether it is a manager's write in the troubled namespace.
  bool is_troubled(const http::Request& request) const;
  runtime::Duration draw_delay();
  runtime::Task<> send_back(std::string what, http::Response response, http::Responder& responder);
  runtime::Task<> travel();
  runtime::Task<MessageScheduler::Fate> carry(MessageScheduler::Message message, std::string what);
  bool happens(double share) { return share > 0 && rng_.unit() < share; }
  http::Response refusal();
  // When the watches of a resource may show an event.
  runtime::MonoTime when_shown(const std::string& resource, apiserver::Revision revision) const;

  runtime::VirtualLoop& loop_;
  http::PipeNetwork& network_;
  runtime::Rng rng_;
  http::Handler inner_;
  RequestFaults request_faults_;
  runtime::Condition changed_;
  MessageScheduler* message_scheduler_ = nullptr;
  Arrival arrival_;
  Arrival on_carry_out_;
  std::deque<std::pair<apiserver::Revision, runtime::MonoTime>> commits_;  // of the last minutes
  std::size_t writes_on_their_way_ = 0;
  std::optional<runtime::MonoTime> came_in_;
  std::unique_ptr<http::Listener> listener_;
  std::optional<runtime::TaskGroup> tasks_;
};

std::string path_of(const http::Request& request);
// The last part of the path: the resource of a list, watch or create.
std::string last_of_path(const http::Request& request);
// A write whose order matters: any except events and leases. Empty: another request.
std::string name_of_write(const http::Request& request);
// The process that sends it, if only the leader may send it: every write except those of leases.
std::string fenced_sender(const http::Request& request);

inline const http::Endpoint kServer{http::Security::plain, "server", 80};

}  // namespace dcm::simulation
