// Users: namespaces, templates, pods and claims, created, edited and deleted at any time.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "test/simulation/actor.hpp"

namespace dcm::simulation {

// The last one is occasionally deleted, with everything in it.
inline constexpr std::array<const char*, 3> kUsedNamespaces = {"default", "lab", "scratch"};
// In each: "t0" and so on, "shared-0" and so on.
inline constexpr std::size_t kTemplates = 3;
inline constexpr std::size_t kSharedClaims = 2;

class Users final : Actor {
 public:
  // `pods`: how many they create in all, including replacements.
  Users(ActorContext context, runtime::Rng rng, std::size_t pods);

  // From now on some templates are as large as a tenant can make them. Call before set_up().
  void make_templates_large() { large_share_ = 0.3; }
  void set_up();
  // Both run until the users stop.
  runtime::Task<> run();
  runtime::Task<> keep_sets();
  // Acts again, at any time.
  void act_once();
  // Deletes every claim created for a pod.
  void delete_made_claims();
  // Creates each missing template that pods may name.
  void make_missing_templates();

 private:
  enum class Act {
    delete_pod,
    replace_pod,
    finish_pod,
    edit_pod,
    delete_made_claim,
    delete_shared_claim,
    edit_claim,
    replace_template,
    delete_namespace
  };
  static constexpr std::size_t kActs = 9;

  void act(Act what);
  void furnish(const std::string& ns);
  void make_pods(std::size_t count);
  void make_pod(const std::string& ns, const std::string& name);
  std::string some_pod_claims(double shared_share);
  void replace_pod(const Pod& pod);
  void make_template(const std::string& ns, std::size_t number);
  void replace_template(const std::string& ns);
  void make_shared_claim(const std::string& ns, std::size_t number);
  void delete_shared_claim(const std::string& ns);
  void delete_namespace(const std::string& ns);
  std::string any_namespace();
  bool is_active(const std::string& ns) const;

  std::array<double, kActs> weights_{};
  double pods_per_act_ = 0;
  double shared_share_ = 0;         // of pod claims
  double extended_share_ = 0;       // of pods
  double bound_share_ = 0;          // of pods, created for a node, bypassing the scheduler
  double force_share_ = 0;          // of deletions: immediate
  double large_share_ = 0;          // of templates
  double late_template_share_ = 0;  // of templates, at first
  std::size_t pods_at_once_ = 1;
  std::size_t pods_left_ = 0;
  std::size_t next_pod_ = 0;
  // Like those of StatefulSets, by namespace and name: recreated as soon as they are gone.
  std::vector<std::pair<std::string, std::string>> set_pods_;
  std::size_t set_pods_left_ = 0;
};

}  // namespace dcm::simulation
