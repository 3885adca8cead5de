// An explanation of an object by a controller, in sentences: facts for people, and a word for each
// for programs.
//
// Made by the pure explain_*() functions of the controllers from the same decisions that their
// workers carry out, shown by the pages and the command line. No secrets: names, states and
// messages of the API server only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dcm::common {

// Ordered by how much it hinders.
enum class Outlook : std::uint8_t {
  note,     // good to know
  fine,     // as it should be
  acting,   // a controller does something about it now
  waiting,  // for a time, or for somebody whose business it is: it goes on by itself
  stuck,    // it does not go on before somebody acts, or before what is tried again succeeds
};

// "note", "fine", …
std::string_view to_string(Outlook outlook);

struct Finding {
  Outlook outlook = Outlook::note;
  std::string reason;  // "TemplateMissing": one word that stays the same
  std::string text;    // whole sentences

  friend bool operator==(const Finding&, const Finding&) = default;
};

// Findings about one subject: a pod claim, a claim, or the next step of a controller.
struct Topic {
  std::string title;
  std::vector<Finding> findings;

  void add(Outlook outlook, std::string reason, std::string text) {
    findings.push_back({outlook, std::move(reason), std::move(text)});
  }
};

// The whole of it, about one object.
struct Explanation {
  std::string kind;        // "Pod"
  std::string namespace_;  // empty: cluster-scoped
  std::string name;
  std::string uid;
  std::string description;  // "Pending, on no node yet"
  std::vector<Topic> topics;
};

// The worst outlook of all findings; `fine` where there are only notes.
Outlook outlook_of(const Explanation& explanation);

// "a", "a and b", "a, b and 3 more".
std::string enumerate(const std::vector<std::string>& names, std::size_t named_max = 8);

}  // namespace dcm::common
