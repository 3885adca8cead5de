// Which fault a request gets: the decisions of the fault proxy, without I/O.
//
// A rule matches requests by method and target, lets the first `skip` of them pass, and applies its
// fault to the next `times`. The first rule that is not used up wins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <regex>
#include <string>

#include "runtime/http/message.hpp"

namespace dcm::support {

// The fault that a request gets, as the client sees it.
enum class FaultKind : std::uint8_t {
  reset,        // the connection is closed, and the server never sees the request
  drop_answer,  // the server executes the request; then the connection is closed silently
  cut_answer,   // the answer is cut after `bytes` of its body
  answer,       // `answer` is sent instead of the server's, which never sees the request
  disown,       // the server executes the request; `answer` is sent instead of its answer
  hold,         // waits for a release, then continues to the server (or does not)
  hold_answer,  // the server executes the request; its answer waits for a release
};

struct Fault {
  FaultKind kind = FaultKind::reset;
  http::Response answer = {};  // for `answer` and `disown`
  std::size_t bytes = 0;       // for `cut_answer`
};

struct Rule {
  std::string method = {};  // regular expression for all of it; empty: any
  std::string target = {};  // regular expression, found anywhere in path and query
  std::size_t skip = 0;
  std::size_t times = 1;
  Fault fault = {};
};

// Rules in order of addition, with their counts.
class RuleSet {
 public:
  struct Entry {
    std::size_t id;
    Rule rule;
    std::regex method;
    std::regex target;
    std::size_t matched = 0;  // requests that it skipped or spoiled; none more once it is used up
  };

  // Throws std::regex_error.
  std::size_t add(Rule rule);
  void remove(std::size_t id);
  void clear() { entries_.clear(); }
  const Entry* find(std::size_t id) const;

  // The rule that applies to this request; counts it. Valid until the rule is removed.
  const Entry* match(http::Method method, const std::string& target);

 private:
  std::list<Entry> entries_;
  std::size_t next_id_ = 1;
};

}  // namespace dcm::support
