// Which request meets which fault: the decisions of the fault proxy, without I/O.
//
// A rule picks requests by method and target, lets the first `skip` of them pass, and spoils the
// next `times`. The first rule that is not used up wins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <regex>
#include <string>

#include "runtime/http/message.hpp"

namespace dcm::support {

// A fault of a request, as the client sees it.
enum class FaultKind : std::uint8_t {
  reset,        // the connection is closed, and the server never hears of the request
  drop_answer,  // the server does what was asked; then the connection is closed without a word
  cut_answer,   // the answer ends after `bytes` of its body, without its end
  answer,       // `answer` comes instead of the server's, which never hears of the request
  disown,       // the server does what was asked; `answer` comes instead of its answer
  hold,         // waits for a release, then goes on to the server (or does not)
  hold_answer,  // the server does what was asked; its answer waits for a release
};

struct Fault {
  FaultKind kind = FaultKind::reset;
  http::Response answer = {};  // of `answer` and `disown`
  std::size_t bytes = 0;       // of `cut_answer`
};

struct Rule {
  std::string method = {};  // regular expression for all of it; empty: any
  std::string target = {};  // regular expression, found anywhere in path and query
  std::size_t skip = 0;
  std::size_t times = 1;
  Fault fault = {};
};

// Rules in the order they came, with what became of them.
class RuleSet {
 public:
  struct Entry {
    std::size_t id;
    Rule rule;
    std::regex method;
    std::regex target;
    std::size_t matched = 0;  // requests that the rule was for, the skipped ones included
  };

  // Throws std::regex_error.
  std::size_t add(Rule rule);
  void remove(std::size_t id);
  void clear() { entries_.clear(); }
  const Entry* find(std::size_t id) const;

  // The rule that spoils this request; counts it. Good until the rule is removed.
  const Entry* match(http::Method method, const std::string& target);

 private:
  std::list<Entry> entries_;
  std::size_t next_id_ = 1;
};

}  // namespace dcm::support
