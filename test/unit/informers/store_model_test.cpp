// The store against a model that a reader can verify by eye: random lists, events, bookmarks and
// own writes of a few names; after each step the two must agree in every look-up.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "informers/store.hpp"
#include "runtime/rng.hpp"
#include "test/unit/informers/pods.hpp"

namespace dcm::informers {
namespace {

using namespace testing;
using api::ChangeType;

// The true state at the API server, and what we have received of it.
struct Model {
  struct Object {
    PodSpec pod;
    bool is_of_interest = true;
  };
  using World = std::map<std::string, Object>;

  // The state that a reader must see: the newest unpassed own write, otherwise the watch's object.
  std::map<std::string, PodSpec> visible() {
    std::erase_if(own_writes, [this](const PodSpec& write) { return write.version <= passed; });
    std::map<std::string, PodSpec> pods;
    for (const auto& [name, object] : watched) {
      if (object.is_of_interest) pods[name] = object.pod;
    }
    for (const auto& write : own_writes) {
      const auto shown = pods.find(write.name);
      if (shown == pods.end() || shown->second.version < write.version) pods[write.name] = write;
    }
    return pods;
  }

  World world;    // at the server
  World watched;  // how far the watch has come
  std::vector<PodSpec> own_writes;
  int passed = 0;
};

// Accumulates notifications; must always equal the store.
class Replica final : public Observer<api::Pod> {
 public:
  using Pod = ObjectPtr<api::Pod>;
  void observe_added(const Pod& pod, Origin) override {
    EXPECT_TRUE(pods.emplace(pod->meta.key.name.str(), pod).second);
  }
  void observe_updated(const Pod& before, const Pod& after, Origin) override {
    EXPECT_EQ(pods.at(before->meta.key.name.str()), before);
    EXPECT_EQ(before->meta.uid, after->meta.uid);
    pods[after->meta.key.name.str()] = after;
  }
  void observe_deleted(const Pod& pod, Origin) override { remove(pod); }
  void observe_left(const Pod& pod, Origin) override { remove(pod); }

  std::map<std::string, Pod> pods;

 private:
  void remove(const Pod& pod) {
    EXPECT_EQ(pods.at(pod->meta.key.name.str()), pod);
    pods.erase(pod->meta.key.name.str());
  }
};

class Scenario {
 public:
  explicit Scenario(std::uint64_t seed) : rng_(seed) { store_.add_observer(replica_); }

  void step() {
    switch (rng_.below(10)) {
      case 0:
      case 1:
      case 2:
        return change_world(Who::others);
      case 3:
      case 4:
        return change_world(Who::we);
      case 5:
      case 6:
      case 7:
        return deliver_event();
      case 8:
        return deliver_bookmark();
      default:
        if (rng_.below(5) == 0) relist();
    }
  }

  void compare() {
    const auto expected = model_.visible();
    ASSERT_EQ(reader_.size(), expected.size());
    ASSERT_EQ(replica_.pods.size(), expected.size());
    std::map<std::string, std::set<std::string>> by_claim;
    for (const auto& [name, pod] : expected) {
      const auto shown = reader_.get(name_of(name));
      ASSERT_NE(shown, nullptr) << name;
      ASSERT_EQ(shown->meta.resource_version, version_of(pod.version)) << name;
      ASSERT_EQ(shown, replica_.pods.at(name));
      for (const auto& claim : pod.claims) by_claim[claim].insert(name);
    }
    for (int i = 0; i < kClaims; ++i) {
      const std::string claim = "claim" + std::to_string(i);
      std::set<std::string> names;
      for (const auto& pod : claims_.get(name_of(claim))) names.insert(pod->meta.key.name.str());
      ASSERT_EQ(names, by_claim[claim]) << claim;
    }
    store_.check();
  }

 private:
  static constexpr int kNames = 12;
  static constexpr int kClaims = 6;
  enum class Who { we, others };
  struct PendingEvent {
    ChangeType type;
    Model::Object object;
  };

  // Makes a write at the server; our own return the object, and the answer may be lost or late.
  void change_world(Who who) {
    const std::string name = "pod" + std::to_string(rng_.below(kNames));
    const auto old = model_.world.find(name);
    const bool is_there = old != model_.world.end();
    const int version = ++version_;
    if (is_there && rng_.below(3) == 0) {
      auto last = old->second;
      last.pod.version = version;
      model_.world.erase(old);
      events_.push_back({ChangeType::deleted, last});
      return;
    }
    Model::Object object{{.name = name, .version = version}, true};
    object.pod.uid = is_there ? old->second.pod.uid : "uid" + std::to_string(version);
    object.is_of_interest = who == Who::we || rng_.below(4) != 0;
    for (auto left = rng_.below(3); left > 0; --left) {
      object.pod.claims.push_back("claim" + std::to_string(rng_.below(kClaims)));
    }
    model_.world[name] = object;
    events_.push_back({is_there ? ChangeType::modified : ChangeType::added, object});
    if (who == Who::we && rng_.below(4) != 0) unanswered_.push_back(object.pod);
    answer_some();
  }

  void answer_some() {
    while (!unanswered_.empty() && rng_.below(3) != 0) {
      const auto answered =
          unanswered_.begin() + static_cast<std::ptrdiff_t>(rng_.below(unanswered_.size()));
      model_.own_writes.push_back(*answered);
      own_writes_.record(a_pod(*answered));
      unanswered_.erase(answered);
    }
  }

  api::Decoded<api::Pod> decoded(const Model::Object& object) const {
    return object.is_of_interest ? seen(object.pod) : seen_without_interest(object.pod);
  }

  void deliver_event() {
    if (events_.empty()) return;
    const PendingEvent event = events_.front();
    events_.erase(events_.begin());
    const PodSpec& pod = event.object.pod;
    writer_.observe_change(event.type, decoded(event.object));
    model_.passed = pod.version;
    if (event.type == ChangeType::deleted) {
      model_.watched.erase(pod.name);
    } else {
      model_.watched[pod.name] = event.object;
    }
  }

  // Everything older than the next event.
  void deliver_bookmark() {
    const int version = events_.empty() ? version_ : events_.front().object.pod.version - 1;
    writer_.pass(version_of(version));
    model_.passed = version;
  }

  // The state when the list began; our own writes continue meanwhile.
  void relist() {
    const Model::World listed = model_.world;
    const int version = version_;
    events_.clear();
    writer_.begin_relist();
    for (const auto& [_, object] : listed) {
      writer_.observe_listed(decoded(object));
      if (rng_.below(8) == 0) change_world(Who::we);
    }
    std::optional<Cursor> next = Cursor();
    while (next) {
      next = writer_.sweep(*next, 1 + rng_.below(4), version_of(version));
      if (rng_.below(8) == 0) change_world(Who::we);
    }
    writer_.end_relist(version_of(version));
    model_.watched = listed;
    model_.passed = version;
  }

  runtime::Rng rng_;
  Store<api::Pod> store_;
  Index<api::Pod, api::NamespacedName> claims_ = store_.add_index<api::NamespacedName>(by_claim());
  StoreWriter<api::Pod> writer_ = store_.take_writer();
  StoreReader<api::Pod> reader_ = store_.reader();
  OwnWrites<api::Pod> own_writes_ = store_.own_writes();
  Replica replica_;
  Model model_;
  std::vector<PendingEvent> events_;
  std::vector<PodSpec> unanswered_;
  int version_ = 0;
};

TEST(StoreModel, matches_store_after_every_step) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Scenario scenario(seed);
    for (int i = 0; i < 400; ++i) {
      scenario.step();
      scenario.compare();
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace dcm::informers
