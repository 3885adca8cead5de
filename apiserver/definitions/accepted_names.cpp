#include "apiserver/definitions/accepted_names.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace dcm::apiserver {

namespace {

using Names = std::set<std::string, std::less<>>;

// Taken names, of resources and of kinds.
struct Taken {
  Names resources;
  Names kinds;
};

Taken names_taken(std::string_view group, const std::vector<Store::Entry>& all) {
  Taken taken;
  for (const Store::Entry& entry : all) {
    if (text_at(*entry.object, {"spec", "group"}) != group) continue;
    const JsonObject& names = object_at(*entry.object, {"status", "acceptedNames"});
    for (const auto* name : {"plural", "singular"}) taken.resources.emplace(text_at(names, {name}));
    for (const auto* name : {"kind", "listKind"}) taken.kinds.emplace(text_at(names, {name}));
    for (const Json& name : array_at(names, {"shortNames"})) {
      if (name.is_string()) taken.resources.emplace(view(name.get_string()));
    }
  }
  return taken;
}

class Acceptance {
 public:
  explicit Acceptance(const JsonObject& definition)
      : requested_(object_at(definition, {"spec", "names"})),
        accepted_(object_at(definition, {"status", "acceptedNames"})),
        names_(accepted_) {}

  void take(std::string_view name, std::string_view reason, const Names& taken) {
    const std::string_view wish = text_at(requested_, {name});
    if (wish != text_at(accepted_, {name}) && taken.contains(wish)) {
      refuse(reason, fmt::format("\"{}\" is already in use", wish));
    } else {
      restore(names_, requested_, name);
    }
  }

  void take_short_names(const Names& taken) {
    const JsonArray& wishes = array_at(requested_, {"shortNames"});
    const JsonArray& own = array_at(accepted_, {"shortNames"});
    std::vector<std::string> conflicts;
    for (const Json& wish : wishes) {
      const std::string_view name = as_text(wish);
      if (std::ranges::find(own, wish) != own.end() || !taken.contains(name)) continue;
      conflicts.push_back(fmt::format("\"{}\" is already in use", name));
    }
    if (conflicts.empty()) return restore(names_, requested_, "shortNames");
    refuse("ShortNamesConflict", conflicts.size() == 1
                                     ? conflicts.front()
                                     : fmt::format("[{}]", fmt::join(conflicts, ", ")));
  }

  AcceptedNames result() {
    restore(names_, requested_, "categories");
    if (reason_.empty()) {
      return {names_, {"NamesAccepted", "True", "NoConflicts", "no conflicts found"}};
    }
    return {names_, {"NamesAccepted", "False", reason_, message_}};
  }

 private:
  void refuse(std::string_view reason, std::string message) {
    reason_ = reason;
    message_ = std::move(message);
  }

  const JsonObject& requested_;
  const JsonObject& accepted_;
  JsonObject names_;
  std::string_view reason_;
  std::string message_;
};

}  // namespace

AcceptedNames accept_names(const JsonObject& definition, const std::vector<Store::Entry>& all) {
  const Taken taken = names_taken(text_at(definition, {"spec", "group"}), all);
  Acceptance acceptance(definition);
  acceptance.take("plural", "PluralConflict", taken.resources);
  acceptance.take("singular", "SingularConflict", taken.resources);
  acceptance.take_short_names(taken.resources);
  acceptance.take("kind", "KindConflict", taken.kinds);
  acceptance.take("listKind", "ListKindConflict", taken.kinds);
  return acceptance.result();
}

}  // namespace dcm::apiserver
