#include "allocation/search.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace dcm::allocation {

// One visit of a request: devices taken outside of it stay the same.
struct Search::RequestContext {
  std::size_t first_taken;  // of the claim's devices, the first one of this request
  // Whether all devices from some position on were judged, so that they cause no error.
  bool is_exhausted = false;
  std::vector<std::uint32_t> usable_from = {};  // by candidate: how many may be taken from there on
};

Search::Search(Allocator& allocator, Candidates& candidates, const Options& options)
    : candidates_(candidates),
      options_(options),
      claims_(allocator.claims().claims()),
      counts_(allocator.claims().asks()),
      all_(allocator.claims().asks()),
      constraints_(claims_.size()),
      taken_(claims_.size()),
      chosen_(claims_.size()),
      end_{claims_.size(), 0},
      steps_max_(options.steps_max) {}

const PreparedAsk& Search::chosen(std::size_t claim, std::size_t request) const {
  return claims_[claim].requests[request].asks[chosen_[claim][request]];
}

bool Search::fail(std::string text) {
  error_ = AllocationError{std::move(text)};
  return false;
}

bool Search::interrupt(std::string text) {
  error_ = AllocationError{.text = std::move(text), .is_interrupted = true};
  return false;
}

bool Search::is_over() {
  if (!options_.is_over()) return false;
  interrupt("filter operation aborted: context deadline exceeded");
  return true;
}

bool Search::prepare() {
  return std::ranges::all_of(claims_,
                             [this](PreparedClaim& claim) { return prepare_claim(claim); });
}

bool Search::prepare_claim(PreparedClaim& claim) {
  const auto index = static_cast<std::size_t>(&claim - claims_.data());
  std::int64_t total = 0;
  for (PreparedRequest& request : claim.requests) {
    if (request.fault) return fail(request.fault->text);
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (PreparedAsk& ask : request.asks) {
      if (!prepare_ask(claim, ask)) return false;
      least = std::min(least, counts_[ask.index]);
    }
    if (least > static_cast<std::int64_t>(kResultsMax) - total) {
      return fail(
          fmt::format("claim {}, request {}: adding {} devices exceeds the claim limit of {}, with "
                      "{} already accounted for",
                      claim.claim.key.str(), request.request->name, least, kResultsMax, total));
    }
    total += least;
  }
  chosen_[index].resize(claim.requests.size());
  const auto& constraints = claim.claim.spec.constraints;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    if (constraints[i].kind == Constraint::Kind::unknown) {
      return fail(
          fmt::format("claim {}, constraint #{}: empty constraint (unsupported constraint type?)",
                      claim.claim.key.str(), i));
    }
    constraints_[index].emplace_back(constraints[i], candidates_.features().list_type_attributes);
  }
  return true;
}

bool Search::prepare_ask(const PreparedClaim& claim, PreparedAsk& ask) {
  if (ask.fault) return fail(ask.fault->text);
  if (ask.ask->is_all()) return collect_all(claim, ask);
  counts_[ask.index] = ask.ask->count;
  return true;
}

// Checks only whether the devices match, not whether they are free.
bool Search::collect_all(const PreparedClaim& claim, PreparedAsk& ask) {
  const auto& pools = candidates_.pools();
  const auto& candidates = candidates_.all();
  std::size_t next = 0;
  for (std::size_t pool = 0; pool < pools.size(); ++pool) {
    if (pools[pool].state == Pool::State::obsolete) continue;
    if (pools[pool].state != Pool::State::usable) {
      return fail(fmt::format(
          "claim {}, request {}: asks for all devices, but resource pool {} is currently {}",
          claim.claim.key.str(), ask.ask->name, pools[pool].id.str(),
          pools[pool].state == Pool::State::incomplete ? "being updated" : "invalid"));
    }
    for (; next < candidates.size() && candidates[next].pool == pool; ++next) {
      if (is_over()) return false;
      const auto is_selected = candidates_.is_selected(claim, ask, next);
      if (!is_selected) return fail(is_selected.error());
      if (!*is_selected) continue;
      const auto consumed = candidates_.consumption(claim, ask, candidates[next], true);
      if (!consumed) return fail(consumed.error());
      if (*consumed) all_[ask.index].push_back(next);
    }
  }
  counts_[ask.index] = std::ssize(all_[ask.index]);
  return true;
}

Search::Status Search::run(At from, std::optional<At> end) {
  end_ = end.value_or(At{claims_.size(), 0});
  return next({.claim = from.claim, .request = from.request});
}

void Search::restart(std::uint64_t steps_max) {
  for (std::size_t claim = taken_.size(); claim-- > 0;) {
    while (!taken_[claim].empty()) give_back({.claim = claim, .ask = taken_[claim].back().ask});
  }
  error_.reset();
  is_out_of_steps_ = false;
  steps_ = 0;
  steps_max_ = steps_max;
}

Search::Status Search::next(Place place) {
  if (depth_ == kDepthMax) {
    interrupt("not decided: the claims want too many devices at once");
    return Status::error;
  }
  ++depth_;
  const Status outcome = visit(place);
  --depth_;
  return outcome;
}

Search::Status Search::visit(Place place) {
  using enum Status;
  ++steps_;
  if (is_over()) return error;
  if (steps_ > steps_max_) {
    is_out_of_steps_ = true;
    interrupt(fmt::format("not decided after {} steps", steps_max_));
    return error;
  }
  if (place.claim >= claims_.size()) return found;
  if (place.claim == end_.claim && place.request == end_.request) return found;
  PreparedClaim& claim = claims_[place.claim];
  if (place.request >= claim.requests.size()) return next_claim(place);
  if (place.ask == nullptr) return try_asks(place);
  if (place.ask->ask->is_all() && all_[place.ask->index].empty()) return failed;
  const std::int64_t missing = counts_[place.ask->index] - place.device;
  if (missing <= 0) return next({.claim = place.claim, .request = place.request + 1});
  const std::size_t room = kResultsMax - taken_[place.claim].size();
  if (missing > static_cast<std::int64_t>(room)) return over_limit;
  return place.ask->ask->is_all() ? take_all(place) : take_one(place);
}

// The limit applies to one claim: to the previous claim, exceeding it is an ordinary failure.
Search::Status Search::next_claim(Place place) {
  const Status outcome = next({.claim = place.claim + 1});
  return outcome == Status::over_limit ? Status::failed : outcome;
}

Search::Status Search::try_asks(Place place) {
  PreparedRequest& request = claims_[place.claim].requests[place.request];
  RequestContext context{taken_[place.claim].size()};
  if (!request.request->is_prioritized) {
    place.ask = request.asks.data();
    place.context = &context;
    --steps_;  // the same step
    return next(place);
  }
  bool are_all_over_limit = true;
  for (std::size_t i = 0; i < request.asks.size(); ++i) {
    RequestContext of_ask{taken_[place.claim].size()};
    place.ask = &request.asks[i];
    place.context = &of_ask;
    const Status outcome = next(place);
    if (outcome == Status::found) chosen_[place.claim][place.request] = i;
    if (outcome == Status::found || outcome == Status::error) return outcome;
    if (outcome == Status::failed) are_all_over_limit = false;
  }
  return are_all_over_limit ? Status::over_limit : Status::failed;
}

// A request for all devices has no alternatives: if one of them is refused, there is no solution.
Search::Status Search::take_all(Place place) {
  const std::size_t candidate = all_[place.ask->index][static_cast<std::size_t>(place.device)];
  switch (is_in_use(place, candidate) ? Take::refused : take(place, candidate, std::nullopt)) {
    case Take::error:
      return Status::error;
    case Take::refused:
      return Status::failed;
    case Take::taken:
      break;
  }
  return go_on_with(place, candidate);
}

Search::Status Search::go_on_with(Place place, std::size_t candidate) {
  Place behind = place;
  ++behind.device;
  behind.from = candidate + 1;
  const Status outcome = next(behind);
  if (outcome != Status::found) give_back(place);
  return outcome;
}

// Tries combinations, not permutations: the next device of the request comes after this one.
Search::Status Search::take_one(Place place) {
  const PreparedClaim& claim = claims_[place.claim];
  auto& candidates = candidates_.all();
  std::vector<std::uint32_t> failed_classes;
  for (std::size_t i = place.from; i < candidates.size(); ++i) {
    if (is_hopeless(place, i)) return Status::failed;
    if (is_in_use(place, i)) continue;
    const bool is_untouched = candidates[i].taken == 0 && candidates[i].shares == 0;
    if (!classes_.empty() && is_untouched &&
        std::ranges::find(failed_classes, classes_[i]) != failed_classes.end()) {
      continue;
    }
    if (!candidates_.is_known(*place.ask, i) && is_over()) return Status::error;
    const auto is_selected = candidates_.is_selected(claim, *place.ask, i);
    if (!is_selected) return fail(is_selected.error()), Status::error;
    if (!*is_selected) continue;
    auto consumed = candidates_.consumption(claim, *place.ask, candidates[i]);
    if (!consumed) return fail(consumed.error()), Status::error;
    if (!*consumed) continue;
    const Take take = this->take(place, i, std::move(*consumed));
    if (take == Take::error) return Status::error;
    if (take == Take::taken) {
      const Status outcome = go_on_with(place, i);
      if (outcome != Status::failed) return outcome;
    }
    if (!classes_.empty() && is_untouched) failed_classes.push_back(classes_[i]);
  }
  place.context->is_exhausted = true;
  return Status::failed;
}

// Whether fewer devices are left than the request still needs. Checked only after all of them were
// judged: an unjudged one may cause an error, which takes precedence.
bool Search::is_hopeless(Place place, std::size_t from) {
  RequestContext& context = *place.context;
  if (!context.is_exhausted || !place.ask->derived.empty()) return false;
  auto& usable = context.usable_from;
  if (usable.empty()) {
    usable.resize(candidates_.all().size() + 1);
    for (std::size_t i = usable.size() - 1; i-- > 0;) {
      usable[i] = usable[i + 1] + (may_be_taken(place, i) ? 1 : 0);
    }
  }
  return usable[from] < counts_[place.ask->index] - place.device;
}

// Whether the device may be taken, judged without the other devices of this request.
bool Search::may_be_taken(Place place, std::size_t i) {
  const auto& taken = taken_[place.claim];
  const auto own = std::ranges::subrange(
      taken.begin() + static_cast<std::ptrdiff_t>(place.context->first_taken), taken.end());
  if (std::ranges::find(own, i, &Taken::candidate) != own.end()) return true;
  const Candidate& candidate = candidates_.all()[i];
  if (is_in_use(place, i) || !candidates_.is_supported(candidate)) return false;
  // Devices before the position where it was exhausted may not have been judged; they count as
  // usable.
  if (!candidates_.is_known(*place.ask, i)) return true;
  if (!candidates_.is_selected(claims_[place.claim], *place.ask, i).value_or(true)) return false;
  if (candidates_.taint(*place.ask, candidate)) return false;
  const auto consumed = candidates_.consumption(claims_[place.claim], *place.ask, candidate);
  return !consumed || *consumed;
}

bool Search::is_taken_by_claim(const Place& place, std::size_t candidate) const {
  return candidates_.all()[candidate].taken > 0 &&
         std::ranges::any_of(taken_[place.claim], [&](const Taken& taken) {
           return taken.candidate == candidate && !taken.is_shared;
         });
}

bool Search::is_in_use(const Place& place, std::size_t candidate) const {
  if (place.ask->ask->has_admin_access()) return is_taken_by_claim(place, candidate);
  const Candidate& wanted = candidates_.all()[candidate];
  return wanted.is_allocated || wanted.taken > 0;
}

Search::Take Search::take(const Place& place, std::size_t index,
                          std::optional<Consumption> consumed) {
  Candidate& candidate = candidates_.all()[index];
  if (!candidates_.is_supported(candidate)) return Take::refused;
  const bool needs_counters =
      !candidate.device->extras().counters.empty() && !candidates_.has_counters(candidate);
  if (needs_counters && !candidates_.take_counters(candidate)) return Take::refused;
  const auto undo = [&](Take why) {
    if (needs_counters) candidates_.give_back_counters(candidate);
    return why;
  };
  if (candidates_.taint(*place.ask, candidate)) return undo(Take::refused);
  const Take constrained = add_constraints(place, index);
  if (constrained != Take::taken) return undo(constrained);
  if (!consumed) {
    auto now = candidates_.consumption(claims_[place.claim], *place.ask, candidate);
    if (!now || !*now) {
      remove_constraints(place, place.ask->constraints.size());
      if (!now) fail(now.error());
      return undo(now ? Take::refused : Take::error);
    }
    consumed = std::move(*now);
  }
  Taken taken{index, place.ask, candidates_.is_shared(*candidate.device), needs_counters};
  if (taken.is_shared) {
    if (candidate.consumed.empty()) candidate.consumed.resize(consumed->size());
    for (std::size_t i = 0; i < consumed->size(); ++i) {
      candidate.consumed[i] =
          candidate.consumed[i].add((*consumed)[i]).value_or(candidate.consumed[i]);
    }
    ++candidate.shares;
    taken.consumed = std::move(*consumed);
  } else {
    ++candidate.taken;
  }
  taken_[place.claim].push_back(std::move(taken));
  return Take::taken;
}

Search::Take Search::add_constraints(const Place& place, std::size_t index) {
  const PreparedClaim& claim = claims_[place.claim];
  for (std::size_t i = 0; i < place.ask->constraints.size(); ++i) {
    ConstraintState& state = constraints_[place.claim][place.ask->constraints[i]];
    const auto attribute = candidates_.attribute(*place.ask, index, state.constraint().attribute);
    if (attribute && state.add(*attribute)) continue;
    remove_constraints(place, i);
    if (!attribute) return fail(attribute.error()), Take::error;
    if (!place.ask->ask->is_all()) return Take::refused;
    const Candidate& candidate = candidates_.all()[index];
    fail(
        fmt::format("claim {}, request {}: cannot add device {} because a claim constraint would "
                    "not be satisfied",
                    claim.claim.key.str(), place.ask->ask->name,
                    candidate.slice->id_of(*candidate.device).str()));
    return Take::error;
  }
  return Take::taken;
}

// Takes the last device out of the first `count` constraints of the request.
void Search::remove_constraints(const Place& place, std::size_t count) {
  while (count-- > 0) constraints_[place.claim][place.ask->constraints[count]].remove();
}

// Gives back the last device of the claim.
void Search::give_back(const Place& place) {
  const Taken taken = std::move(taken_[place.claim].back());
  taken_[place.claim].pop_back();
  Candidate& candidate = candidates_.all()[taken.candidate];
  if (taken.is_shared) {
    --candidate.shares;
    for (std::size_t i = 0; i < taken.consumed.size(); ++i) {
      candidate.consumed[i] =
          candidate.consumed[i].sub(taken.consumed[i]).value_or(candidate.consumed[i]);
    }
  } else {
    --candidate.taken;
  }
  remove_constraints(place, place.ask->constraints.size());
  if (taken.has_counters) candidates_.give_back_counters(candidate);
}

}  // namespace dcm::allocation
