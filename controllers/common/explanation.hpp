// An explanation of an object: a sentence for people and a keyword for programs per fact.
//
// The pure explain_*() functions of the controllers create a Draft from the same decisions that
// their workers carry out. settle() turns it into an Explanation: a sentence based on something
// unreadable is replaced by one that says so. Only Explanations are shown, so nothing is concluded
// from missing information. No secrets: only names, states and messages of the API server.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/one_line.hpp"

namespace dcm::common {

// ---- what is known ------------------------------------------------------------------------------

// Why something is unknown, worded as the end of a sentence.
struct Unknown {
  std::string why;
};
template <class T>
using Known = std::expected<T, Unknown>;

// What a sentence may be based on, apart from its object.
enum class Input : std::uint8_t {
  pods,
  claims,
  templates,
  groups,
  slices,
  rules,
  worker,  // whether a manager works (its lease): does not hide a sentence, but is reported with it
  conditions,  // of the pod: the scheduler's message
  events,
  quotas,
  node,
  devices,  // free devices: slices, classes, nodes and claims of all namespaces
};
inline constexpr std::size_t kInputCount = static_cast<std::size_t>(Input::devices) + 1;

class Inputs {
 public:
  constexpr Inputs() = default;
  constexpr Inputs(std::initializer_list<Input> inputs) {
    for (const Input input : inputs) add(input);
  }
  constexpr void add(Input input) { bits_ |= bit(input); }
  constexpr bool has(Input input) const { return (bits_ & bit(input)) != 0; }
  constexpr Inputs operator|(Inputs other) const {
    other.bits_ |= bits_;
    return other;
  }
  friend constexpr bool operator==(Inputs, Inputs) = default;

 private:
  static constexpr std::uint32_t bit(Input input) {
    return std::uint32_t{1} << static_cast<unsigned>(input);
  }
  std::uint32_t bits_ = 0;
};

// Inputs that could not be read completely, and why.
class Sight {
 public:
  // The first reason is kept.
  void hide(Input input, std::string why);
  bool is_hidden(Input input) const { return at(input).has_value(); }
  // Replaces all reasons: the API server's and the decoder's texts may name any object.
  void replace_reasons(std::string_view why);
  // "ResourceSlices could not be read: …", one for each hidden input, without a full stop.
  std::vector<std::string> gaps() const;
  // The same for one input, which must be hidden.
  std::string gap(Input input) const;

 private:
  const std::optional<std::string>& at(Input input) const {
    return hidden_[static_cast<std::size_t>(input)];
  }
  std::array<std::optional<std::string>, kInputCount> hidden_;
};

// ---- sentences ----------------------------------------------------------------------------------

// By severity.
enum class Outlook : std::uint8_t {
  note,     // good to know
  fine,     // as it should be
  unknown,  // unreadable
  acting,   // a controller is working on it
  waiting,  // temporary, or waiting for another component: continues by itself
  stuck,    // nothing changes before somebody acts, or before a retry succeeds
};

// "note", "fine", …
std::string_view to_string(Outlook outlook);

// An outlook with its inputs. `fine` requires inputs, because it is mostly concluded from something
// not found: `fine` without inputs does not compile. For a sentence about the object alone
// write {Outlook::fine, {}}.
struct Stance {
  // NOLINTNEXTLINE(google-explicit-constructor): a plain outlook is a stance.
  consteval Stance(Outlook seen) : outlook(seen) {
    if (seen == Outlook::fine) throw "say what it rests on";
  }
  constexpr Stance(Outlook concluded, Inputs inputs) : outlook(concluded), from(inputs) {}

  Outlook outlook;
  Inputs from;
};

struct Finding {
  Outlook outlook = Outlook::note;
  std::string reason;  // "TemplateMissing": one word that stays the same
  std::string text;    // whole sentences
  Inputs from = {};

  friend bool operator==(const Finding&, const Finding&) = default;
};

// Findings about one subject: a pod claim, a claim, or the next step of a controller.
struct Topic {
  std::string title;
  std::vector<Finding> findings = {};
  // The input of the topic as a whole: if it cannot be read, the topic says so in any case.
  Inputs asks = {};

  // Adds these inputs to everything in the topic.
  void rest_on(Inputs inputs) {
    for (Finding& finding : findings) finding.from = finding.from | inputs;
  }
  // In one line: a text may quote what a user, a driver or another program has written.
  void add(Stance stance, std::string reason, const std::string& text) {
    findings.push_back({stance.outlook, std::move(reason), runtime::one_line(text), stance.from});
  }
  // Says how many findings were left out.
  void add_more(std::string reason, std::size_t left_out) {
    add(Outlook::note, std::move(reason), "There are " + std::to_string(left_out) + " more.");
  }
};

bool has(const std::vector<Topic>& topics, Outlook outlook);
// Whether the topics depend on a running manager.
bool needs_worker(const std::vector<Topic>& topics);

// Adds to the last topic the failure of the last attempt and the place in the queue; nullopt: none.
// A failure is an obstacle only while something is left to do: otherwise a later attempt or another
// program has succeeded.
void add_work(std::optional<std::string> failure, std::optional<std::string> queued,
              std::vector<Topic>& topics);

// ---- the whole explanation of one object --------------------------------------------------------

struct Identity {
  std::string kind = {};        // "Pod"
  std::string namespace_ = {};  // empty: cluster-scoped
  std::string name = {};
  std::string uid = {};
  std::string description = {};  // "Pending, on no node yet"
};

struct Draft {
  Identity about = {};
  std::vector<Topic> topics = {};
};

// Whether the controllers' decisions are carried out.
struct Worker {
  enum class State : std::uint8_t {
    works,
    nobody,
    // Unknown to this program: another one may do the work.
    perhaps,
  };
  State state = State::works;
  std::string text = {};  // a whole sentence; empty if a manager works and there is nothing to add
};

class Explanation {
 public:
  const Identity& about() const { return about_; }
  const std::vector<Topic>& topics() const { return topics_; }
  // Required inputs that could not be read; one sentence each.
  std::vector<std::string> unknowns() const;

 private:
  friend Explanation settle(Draft draft, const Sight& sight, const Worker& worker);
  Explanation(Identity about, std::vector<Topic> topics)
      : about_(std::move(about)), topics_(std::move(topics)) {}

  Identity about_;
  std::vector<Topic> topics_;
};

// Replaces each sentence based on a hidden input, and says of each current step whether anybody
// takes it. `worker` is used unless Input::worker is hidden.
Explanation settle(Draft draft, const Sight& sight, const Worker& worker);

// The worst outlook of all findings; `fine` if there are only notes.
Outlook outlook_of(const Explanation& explanation);

// "1 pod", "2 pods"; `many` is needed where it is not `one` with an s.
std::string count(std::size_t number, std::string_view one, std::string_view many = {});

// "a", "a and b", "a, b and 3 more".
std::string enumerate(const std::vector<std::string>& names, std::size_t named_max = 8);

}  // namespace dcm::common
