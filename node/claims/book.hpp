// The node's claims: the entries of the checkpoint, and state that lasts only while the process
// lives.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "client/api/meta.hpp"
#include "node/checkpoint/entry.hpp"

namespace dcm::node {

struct Held {
  Entry entry;
  bool is_prepared = false;               // all drivers have answered since the process started
  bool is_going = false;                  // an unprepare call has been sent
  std::set<std::string> prepared = {};    // drivers that have answered since the process started
  std::set<std::string> unprepared = {};  // drivers that have answered since unpreparing began

  friend bool operator==(const Held&, const Held&) = default;
};

// Ordered, so that operations on several claims always have the same order.
using Book = std::map<api::NamespacedName, Held>;

inline api::NamespacedName key_of(const Entry& entry) {
  return {entry.namespace_, entry.name};
}

Book make_book(std::vector<Entry> entries);
std::vector<Entry> entries_of(const Book& book);

// The entries that name the pod.
std::set<api::NamespacedName> claims_of_pod(const Book& book, const std::string& pod_uid);

}  // namespace dcm::node
