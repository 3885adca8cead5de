#include "test/support/fault_rules.hpp"

#include <algorithm>
#include <utility>

namespace dcm::support {

std::size_t RuleSet::add(Rule rule) {
  std::regex method(rule.method);
  std::regex target(rule.target);
  entries_.push_back({next_id_, std::move(rule), std::move(method), std::move(target)});
  return next_id_++;
}

void RuleSet::remove(std::size_t id) {
  entries_.remove_if([id](const Entry& entry) { return entry.id == id; });
}

const RuleSet::Entry* RuleSet::find(std::size_t id) const {
  const auto found = std::ranges::find(entries_, id, &Entry::id);
  return found == entries_.end() ? nullptr : &*found;
}

const RuleSet::Entry* RuleSet::match(http::Method method, const std::string& target) {
  const std::string name(http::to_string(method));
  for (Entry& entry : entries_) {
    const Rule& rule = entry.rule;
    if (!rule.method.empty() && !std::regex_match(name, entry.method)) continue;
    if (!std::regex_search(target, entry.target)) continue;
    if (entry.matched >= rule.skip + rule.times) continue;
    ++entry.matched;
    if (entry.matched > rule.skip) return &entry;
  }
  return nullptr;
}

}  // namespace dcm::support
