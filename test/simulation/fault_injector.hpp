// Injects faults into the network, the API server and the managers.
#pragma once

#include <list>
#include <string>

#include "runtime/http/pipe.hpp"
#include "test/simulation/faults.hpp"
#include "test/simulation/faulty_server.hpp"
#include "test/simulation/replica.hpp"
#include "test/simulation/safety.hpp"

namespace dcm::simulation {

class FaultInjector {
 public:
  // All references must outlive it.
  struct World {
    runtime::VirtualLoop& loop;
    Timeline& timeline;
    apiserver::Server& server;
    http::PipeNetwork& network;
    FaultyServer& faulty_server;
    Safety& safety;
    std::list<Replica>& replicas;
    bool elects;              // whether the managers elect a leader
    runtime::Duration until;  // when no fault is active any longer
  };
  // The server's current request faults become the usual ones, to which each fault returns.
  explicit FaultInjector(World world);

  // Starts at the fault's time, and ends with the fault.
  runtime::Task<> inject(Fault fault);
  // A write of that process has arrived at the server: the moment that some faults wait for.
  enum class Kind { create_of_claim, other };
  void observe_write(const std::string& process, Kind kind);

  bool is_server_down() const { return is_server_down_; }

 private:
  runtime::Task<> apply(Fault fault);
  runtime::Task<> apply_to_manager(Fault fault);
  template <class T>
  runtime::Task<> set_for(runtime::Duration lasts, T& setting, T value, T usual = T());
  runtime::Task<> lag(std::string resource, runtime::Duration by, runtime::Duration lasts);
  runtime::Task<> take_server_down(Fault fault);
  runtime::Task<> restore_etcd(Fault fault);
  void change_lease_by_hand(const Fault& fault);
  runtime::Task<> die_in_create(Fault fault);
  runtime::Task<> freeze(Fault fault, Replica& replica);
  runtime::Task<> put_clock_wrong(Fault fault, Replica& replica);
  void die_at_some_await(const Fault& fault, Replica& replica);
  void end_watches(const std::string& resource);

  World world_;
  RequestFaults usual_;
  bool is_server_down_ = false;
  bool kills_in_create_ = false;
  bool freezes_in_write_ = false;
};

}  // namespace dcm::simulation
