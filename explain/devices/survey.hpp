// Asks the allocator about each node, and groups nodes with the same answer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "explain/devices/obstacle_words.hpp"
#include "explain/devices/try_out.hpp"

namespace dcm::explain {

// Devices with one kind of obstacle, and how many of each variant.
struct Tally {
  std::size_t devices = 0;
  std::vector<std::pair<std::string, std::size_t>> variants = {};  // the first 16
  bool has_more_variants = false;

  void add(const std::string& variant);  // of one device
  void add_variants(const Tally& other);

 private:
  void add_variant(const std::string& variant, std::size_t count);
};

// "request" of "request/subrequest": one of its subrequests suffices.
inline std::string_view base_of(std::string_view name) {
  return name.substr(0, name.find('/'));
}

// The devices that one request, or subrequest, has on a node.
struct RequestAnswer {
  std::size_t claim = 0;
  std::string name = {};
  std::int64_t wanted = 0;
  bool is_all = false;
  bool is_examined = true;  // false: the request itself is faulty, and no device was examined
  std::size_t free = 0;
  std::size_t matching = 0;  // allocation::is_matching()
  std::size_t devices = 0;
  bool is_satisfied = false;                    // on some node, if it is about all
  std::map<std::string, Tally> obstacles = {};  // by ObstacleWords::kind
};

// The asks of each request: itself, or its subrequests. `all` are RequestAnswers, or the
// allocator's explanations.
template <class Ask>
std::vector<std::span<const Ask>> by_request(const std::vector<Ask>& all) {
  std::vector<std::span<const Ask>> requests;
  for (std::span<const Ask> rest(all); !rest.empty();) {
    const auto is_same = [&](const Ask& each) {
      return each.claim == rest[0].claim && base_of(each.name) == base_of(rest[0].name);
    };
    const auto others = std::ranges::find_if_not(rest, is_same);
    requests.push_back(rest.first(static_cast<std::size_t>(others - rest.begin())));
    rest = rest.subspan(requests.back().size());
  }
  return requests;
}

// Nodes with the same answer: equal counts of the same kinds of obstacles.
struct NodeGroup {
  bool fits = false;
  std::vector<const allocation::Node*> nodes = {};
  std::vector<RequestAnswer> requests = {};
};

// An error that ends kube-scheduler's attempt, regardless of other nodes.
struct FatalError {
  std::string text;
  const allocation::Node* node = nullptr;
  allocation::NodeExplanation explanation = {};
};

// A node that almost fits.
struct CloseNode {
  const allocation::Node* node = nullptr;
  std::size_t lacks = 0;  // devices that do not match at all
  std::size_t wants = 0;  // devices that are not free
  Remedy remedy = {};
};

class DeviceSurvey {
 public:
  // Both must outlive it.
  DeviceSurvey(DeviceInventory& inventory, const DeviceQuestion& question);

  // Surveys the next node. False: all were surveyed, or time is up.
  bool advance();
  // After the last node: what would make the closest nodes fit.
  void find_remedies();

  const DeviceInventory& inventory() const { return inventory_; }
  const DeviceQuestion& question() const { return question_; }
  const Wording& wording() const { return wording_; }
  allocation::NodeExplanation explain(const allocation::Node& node) {
    return try_out_.explain(node);
  }
  std::optional<Freed> free_all(const allocation::Node& node) { return try_out_.free_all(node); }

  const std::vector<NodeGroup>& groups() const { return groups_; }
  // Over all nodes: the maximum of one node, and the sums of devices and obstacles.
  const std::vector<RequestAnswer>& totals() const { return totals_; }
  const std::vector<CloseNode>& closest() const { return closest_; }
  const std::optional<FatalError>& fatal() const { return fatal_; }
  std::size_t looked_at() const { return looked_at_; }
  std::size_t undecided() const { return undecided_; }
  // Nodes that are not surveyed: by the pod's node selection, because they are cordoned or tainted,
  // because a device plugin provides an extended resource there, by the pod's allocated claims, or
  // for lack of time. kube-scheduler does not evaluate selectors there either.
  std::size_t excluded_by_pod() const { return excluded_by_pod_; }
  const std::vector<const allocation::Node*>& closed() const { return closed_; }
  std::size_t excluded_by_plugin() const { return excluded_by_plugin_; }
  std::size_t excluded_by_claims() const { return excluded_by_claims_; }
  std::size_t left_out() const { return inventory_.nodes().size() - next_; }

 private:
  bool is_excluded(const allocation::Node& node);
  void note(const allocation::Node& node, allocation::NodeExplanation explanation);
  RequestAnswer answer(const allocation::RequestExplanation& request) const;
  void add_to_group(const allocation::Node& node, bool fits, std::vector<RequestAnswer> requests);
  void add_to_totals(const std::vector<RequestAnswer>& requests);

  DeviceInventory& inventory_;
  const DeviceQuestion& question_;
  Wording wording_;
  TryOut try_out_;
  std::vector<NodeGroup> groups_;
  std::map<std::string, std::size_t> group_of_;
  std::vector<RequestAnswer> totals_;
  std::vector<CloseNode> closest_;
  std::optional<FatalError> fatal_;
  std::size_t next_ = 0;
  std::size_t looked_at_ = 0;
  std::size_t undecided_ = 0;
  std::size_t excluded_by_pod_ = 0;
  std::vector<const allocation::Node*> closed_;
  std::size_t excluded_by_plugin_ = 0;
  std::size_t excluded_by_claims_ = 0;
};

}  // namespace dcm::explain
