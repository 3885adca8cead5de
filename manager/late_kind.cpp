#include "manager/late_kind.hpp"

#include <utility>

#include <fmt/format.h>

#include "manager/find_version.hpp"

namespace dcm::manager {

using runtime::Task;

namespace {

// An upgraded API server may serve a better version, or a status, while the one in use still works.
constexpr runtime::Duration kAskAnyway = std::chrono::minutes(10);

}  // namespace

LateKind::LateKind(Dependencies dependencies, const api::ResourceKind& kind, Hooks hooks)
    : deps_(dependencies),
      kind_(kind),
      hooks_(std::move(hooks)),
      missing_(fmt::format("{}: not asked for yet", kind.plural)) {}

Task<client::Availability> LateKind::ask() {
  return ask_once(deps_.discovery, deps_.time, {&kind_});
}

Task<> LateKind::find() {
  while (true) {
    last_answer_ = co_await ask();
    take(last_answer_);
    if (!missing_) break;
    co_await runtime::sleep_for(deps_.time, client::ask_again_after(last_answer_));
  }
  if (cache_ == nullptr) hooks_.not_served();
}

Task<> LateKind::follow() {
  runtime::MonoTime asked = deps_.time.now();
  do {
    co_await runtime::sleep_for(deps_.time, client::ask_again_after(last_answer_));
    const bool is_working = cache_ != nullptr && !cache_->last_error();
    if (is_working && deps_.time.now() - asked < kAskAnyway) continue;
    asked = deps_.time.now();
    last_answer_ = co_await ask();
    if (cache_ == nullptr) take(last_answer_);
  } while (!has_lost(last_answer_));
  hooks_.has_lost(in_use_->version);
}

void LateKind::take(const client::Availability& availability) {
  if (std::holds_alternative<client::Unknown>(availability)) {
    // Once the answer was known, work continues without a new one.
    if (missing_) missing_ = about(kind_.plural, client::why_not(availability));
    return;
  }
  missing_.reset();
  if (const auto* served = std::get_if<client::Served>(&availability)) {
    in_use_ = *served;
    cache_ = &hooks_.start(*served);
  }
}

bool LateKind::has_lost(const client::Availability& availability) const {
  if (cache_ == nullptr || std::holds_alternative<client::Unknown>(availability)) return false;
  const auto* served = std::get_if<client::Served>(&availability);
  return served == nullptr || *served != in_use_;
}

}  // namespace dcm::manager
