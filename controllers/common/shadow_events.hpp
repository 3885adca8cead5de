// The events of a dry run: told, not written.
#pragma once

#include <string>

#include "controllers/common/event_sink.hpp"
#include "controllers/common/expectations.hpp"

namespace dcm::common {

// Expects no match: the other manager words and paces its events differently.
class ShadowEvents final : public EventSink {
 public:
  static constexpr WriteKind kWrite{"create", "events"};

  // `expectations` know of kWrite, and must outlive it.
  explicit ShadowEvents(Expectations& expectations) : expectations_(expectations) {}

  void report(const api::ObjectReference& about, api::EventType /*type*/,
              std::string_view /*component*/, std::string_view reason,
              std::string_view message) override {
    std::string what = std::string(reason) + ": " + std::string(message);
    expectations_.note({.kind = kWrite,
                        .object = about.key.str(),
                        .subject = about.kind + about.uid.str() + what,
                        .what = std::move(what)});
  }

 private:
  Expectations& expectations_;
};

}  // namespace dcm::common
