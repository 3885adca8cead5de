// Everybody but the manager: users, a scheduler, kubelets, drivers, admins, a garbage collector.
//
// They write straight into the server, each in its own name; what takes several writes (binding a
// pod) takes time in between, so that others come first. What they do is drawn from the seed.
#pragma once

#include <array>
#include <map>
#include <string>

#include "runtime/loop.hpp"
#include "runtime/rng.hpp"
#include "runtime/task_group.hpp"
#include "test/apiserver/direct.hpp"
#include "test/simulation/cluster.hpp"
#include "test/simulation/timeline.hpp"

namespace dcm::simulation {

// What all actors share. All references must outlive them.
struct Scene {
  runtime::VirtualLoop& loop;
  apiserver::Server& server;
  const Cluster& cluster;
  Timeline& timeline;

  // Sends a request in the name of `who`. Errors are part of life: they are noted.
  apiserver::Answer send(const std::string& who, std::string_view method, const std::string& target,
                         std::string body) const;
};

// Where objects are: "/api/v1/namespaces/lab/pods".
std::string pods_in(const std::string& ns);
std::string claims_in(const std::string& ns);
std::string templates_in(const std::string& ns);
inline const std::string kSlices = "/apis/resource.k8s.io/v1/resourceslices";
inline const std::string kRules = "/apis/resource.k8s.io/v1/devicetaintrules";

class Workload {
 public:
  Workload(Scene scene, runtime::Rng rng, runtime::Duration until);

  // Namespaces, templates, devices, shared claims.
  void set_up();
  // Until `until`; then only what ends by itself goes on: kubelets and the garbage collector.
  void start();
  runtime::Task<> stop();

 private:
  enum class Act {
    make_pod,
    make_set_pod,
    make_bound_pod,
    delete_pod,
    finish_pod,
    edit_pod,
    delete_made_claim,
    delete_shared_claim,
    edit_claim,
    replace_template,
    taint_device,
    heal_device,
    renew_pool,
    add_rule,
    change_rule,
    delete_rule
  };
  static constexpr std::size_t kActs = 16;

  runtime::Task<> users();
  runtime::Task<> scheduler();
  runtime::Task<> kubelet();
  runtime::Task<> collector();
  runtime::Task<> place(std::string key, std::string uid);
  runtime::Task<bool> reserve(std::string claim_key, std::string pod_key, std::string uid);
  void collect();

  void act(Act what);
  void make_pod(const std::string& ns, const std::string& name, const std::string& node);
  void make_template(const std::string& ns, std::size_t number);
  void make_shared_claim(const std::string& ns, std::size_t number);
  void publish(std::size_t pool);
  void run_pod(const Pod& pod);
  void taint_device(bool is_tainted);
  void add_rule();
  void change_rule();
  void calm_down();

  runtime::Task<> pause(double seconds_at_most);
  bool is_over() const { return scene_.loop.time().now().time_since_epoch() >= until_; }
  bool chance(double share) { return rng_.unit() < share; }
  std::string any_namespace();
  const Pod* any_pod();
  const Claim* any_claim();
  std::string free_device();
  std::string tolerations();

  Scene scene_;
  runtime::Rng rng_;
  runtime::Duration until_;
  std::array<double, kActs> weights_{};
  double pods_per_act_ = 0;
  double finish_share_ = 0;
  double scheduler_crash_share_ = 0;
  std::size_t pods_left_ = 0;
  std::size_t next_pod_ = 0;
  std::size_t next_rule_ = 0;
  std::array<std::int64_t, 3> generations_{};
  std::array<std::map<std::string, std::string>, 3> taints_;  // by device: what it is tainted with
  std::map<std::string, runtime::MonoTime> dying_;            // pods, by UID: when they are gone
  std::map<std::string, runtime::MonoTime> being_placed_;     // pods, by UID
  runtime::TaskGroup placing_;
  runtime::TaskGroup tasks_;
};

}  // namespace dcm::simulation
