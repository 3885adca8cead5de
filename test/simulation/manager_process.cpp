#include "test/simulation/manager_process.hpp"

#include <utility>

#include "test/simulation/faulty_server.hpp"

namespace dcm::simulation {
namespace {

using runtime::Task;

client::ClusterConfig config() {
  client::ClusterConfig config;
  config.server = kServer;
  return config;
}

manager::ConnectionOptions connection_options(const std::string& name,
                                              const dra_manager::Options& options) {
  manager::ConnectionOptions made = dra_manager::connection_options(options);
  made.user_agent = name;
  made.cleartext = http2::Cleartext::http2;
  return made;
}

}  // namespace

ManagerProcess::ManagerProcess(Setup setup)
    : name_(std::move(setup.name)),
      options_(setup.options),
      rng_(setup.rng),
      process_{{setup.executor, setup.clock}, metrics_, rng_, std::move(setup.log)},
      transport_(setup.network, setup.time),
      fence_(setup.clock),
      connection_(manager::Connection::over(transport_, config(),
                                            connection_options(name_, options_), fence_, process_)),
      lifecycle_({process_, connection_->rest(), connection_->lease_rest(), &fence_},
                 lifecycle_options()),
      lost_(setup.clock),
      tasks_(setup.executor) {
  lifecycle_.use(dra_manager::make_controllers(options_, lifecycle_.events(), explanations_));
  lifecycle_.add_foundation("connection", [this] { return connection_->run(); });
}

// A process that loses the lease ends at once: it sends nothing further.
manager::LifecycleOptions ManagerProcess::lifecycle_options() {
  manager::LifecycleOptions made{.program = dra_manager::kProgram,
                                 .election = options_.leader_election};
  if (made.election) {
    made.election->identity = name_;
    made.election->on_lost = [this] {
      has_lost_lease_ = true;
      lose();
    };
  }
  return made;
}

void ManagerProcess::start() {
  tasks_.spawn("manager", run());
}

// Without a request it ends because a part has failed.
Task<> ManagerProcess::run() {
  co_await lifecycle_.run();
  lose();
}

Task<> ManagerProcess::kill() {
  transport_.die();
  tasks_.cancel();
  co_await tasks_.join();
  co_await lifecycle_.abandon();
}

Task<> ManagerProcess::stop() {
  lifecycle_.request_stop();
  co_await tasks_.join();
}

Task<> ManagerProcess::wait_until_lost() {
  while (!is_lost_) co_await lost_.wait();
}

void ManagerProcess::lose() {
  transport_.die();
  is_lost_ = true;
  lost_.notify_all();
}

}  // namespace dcm::simulation
