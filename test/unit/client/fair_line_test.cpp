// FairLine against a model that looks at all namespaces for the longest one.
#include "client/events/fair_line.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/rng.hpp"

namespace dcm::client {
namespace {

// Ids name their namespace: "3/17".
std::string namespace_of(const std::string& id) {
  return id.substr(0, id.find('/'));
}

class Model {
 public:
  std::size_t of(const std::string& namespace_) const {
    const auto found = waiting_.find(namespace_);
    return found == waiting_.end() ? 0 : found->second;
  }
  std::size_t longest() const {
    std::size_t most = 0;
    for (const auto& [namespace_, count] : waiting_) most = std::max(most, count);
    return most;
  }
  void add(const std::string& namespace_) { ++waiting_[namespace_]; }
  void remove(const std::string& namespace_) { --waiting_.at(namespace_); }

 private:
  std::map<std::string, std::size_t> waiting_;
};

TEST(FairLine, displaces_from_a_longest_namespace_after_any_history) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    runtime::Rng rng(seed);
    FairLine line(2);
    Model model;
    std::vector<std::string> in_hand;
    for (int i = 0; i < 500; ++i) {
      const std::string namespace_ = std::to_string(rng.below(1 + seed % 7));
      switch (rng.below(4)) {
        case 0:
        case 1:
          line.push(namespace_, namespace_ + '/' + std::to_string(i),
                    rng.below(2) == 0 ? FairLine::Rank::first : FairLine::Rank::again);
          model.add(namespace_);
          break;
        case 2:
          if (const auto id = line.pop()) {
            model.remove(namespace_of(*id));
            in_hand.push_back(namespace_of(*id));
          } else if (!in_hand.empty()) {
            line.done(in_hand.back());
            in_hand.pop_back();
          }
          break;
        default:
          const auto id = line.displace_for(namespace_);
          ASSERT_EQ(id.has_value(), model.longest() > model.of(namespace_) + 1) << "seed " << seed;
          if (!id) break;
          ASSERT_EQ(model.of(namespace_of(*id)), model.longest()) << "seed " << seed;
          model.remove(namespace_of(*id));
      }
    }
  }
}

}  // namespace
}  // namespace dcm::client
