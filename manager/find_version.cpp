#include "manager/find_version.hpp"

#include <utility>
#include <variant>

namespace dcm::manager {
namespace {

// How long the API server may take to say what it serves.
constexpr runtime::Duration kDiscoveryTimeout = std::chrono::seconds(30);

}  // namespace

runtime::Task<client::Availability> ask_once(client::Discovery& discovery,
                                             runtime::TimeSource& time, client::KindSet kinds) {
  return discovery.find(std::move(kinds), runtime::Deadline::after(time, kDiscoveryTimeout));
}

runtime::Task<std::string> find_version(client::Discovery& discovery, const Process& process,
                                        const api::ResourceKind& kind,
                                        std::optional<runtime::Problem>& why_not_served) {
  runtime::TimeSource& time = process.loop.time();
  runtime::RepeatGuard guard(time, kRepeatInterval);
  while (true) {
    const client::Availability answer = co_await ask_once(discovery, time, {&kind});
    if (const auto* served = std::get_if<client::Served>(&answer)) {
      why_not_served.reset();
      co_return served->version;
    }
    why_not_served = client::why_not(answer);
    if (guard.should_log(why_not_served->whole)) {
      process.log.warning("Waiting until a kind is served",
                          {{"kind", kind.plural}, {"why", why_not_served->whole}});
    }
    co_await runtime::sleep_for(time, client::ask_again_after(answer));
  }
}

}  // namespace dcm::manager
