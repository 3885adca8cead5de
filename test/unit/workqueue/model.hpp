// The queue's contract, written naively: maps and loops over everything. It does not say which item
// is next, only what must hold for an item that is handed out.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "workqueue/scheduler.hpp"

namespace dcm::workqueue {

class Model {
 public:
  explicit Model(std::size_t workers) : workers_(workers), half_((workers + 1) / 2) {}

  void add(const std::string& item, Priority priority, MonoTime now);
  void add_after(const std::string& item, Duration delay, std::optional<Priority> priority,
                 DelayKind kind, MonoTime now);
  void advance(MonoTime now);
  void done(const std::string& item, MonoTime now);
  // Why `item` ("": no item) must not be handed out now, or "" if it may be.
  std::string take(const std::string& item, MonoTime now);

  ItemState state(const std::string& item) const;
  std::optional<MonoTime> next_due() const;
  std::size_t waiting() const { return waiting_.size(); }
  std::size_t depth() const { return waiting_.size() + dirty_.size(); }
  const std::map<std::string, Priority>& processing() const { return processing_; }

 private:
  struct Waiting {
    Priority added_as;
    MonoTime since;
  };
  struct Pending {
    MonoTime due;
    std::uint64_t sequence;
    Priority priority;
    DelayKind kind;
  };

  static std::string namespace_of(const std::string& item) {
    return item.substr(0, item.find('/'));
  }
  Priority kept_priority(const std::string& item) const;
  Priority urgency(const std::string& item, MonoTime now) const;
  std::size_t running(const std::string& namespace_) const;
  bool has_half(const std::string& namespace_) const;
  // Whether the idle workers are reserved for other namespaces.
  bool has_most(const std::string& namespace_) const;
  // Whether an item that may be handed out now waits at this priority.
  bool may_take(Priority priority, MonoTime now) const;
  std::string check_share(const std::string& item) const;
  std::string check_priority(Priority taken, MonoTime now);
  std::set<std::string> in_turn(Priority priority, MonoTime now) const;
  void forget_turns(MonoTime now);
  std::string check_turns(const std::string& item, Priority taken, MonoTime now);

  std::size_t workers_;
  std::size_t half_;
  std::map<std::string, Waiting> waiting_;
  std::map<std::string, Priority> processing_;  // the priority that it was added with
  std::map<std::string, Priority> dirty_;
  std::map<std::string, Pending> pending_;
  std::uint64_t sequence_ = 0;
  int live_picks_ = 0;           // since the backlog's last, while any of it waited
  int live_picks_in_spite_ = 0;  // since then, while one might have been taken
  // How often the first namespace was passed over for the second since its last turn.
  std::map<std::pair<std::string, std::string>, int> passed_over_[kPriorities];
};

}  // namespace dcm::workqueue
