#include "manager/find_version.hpp"

#include <variant>

namespace dcm::manager {
namespace {

std::string why_not_found(const client::Availability& answer) {
  if (const auto* unknown = std::get_if<client::Unknown>(&answer)) {
    return runtime::to_string(unknown->error);
  }
  return std::get<client::NotServed>(answer).why;
}

}  // namespace

runtime::Task<std::string> find_version(client::Discovery& discovery, const Process& process,
                                        const api::ResourceKind& kind,
                                        std::string& why_not_served) {
  runtime::TimeSource& time = process.loop.time();
  for (;;) {
    const client::Availability answer =
        co_await discovery.find({&kind}, runtime::Deadline::after(time, kDiscoveryTimeout));
    if (const auto* served = std::get_if<client::Served>(&answer)) {
      why_not_served.clear();
      co_return served->version;
    }
    why_not_served = why_not_found(answer);
    process.log.warning("Waiting until a kind is served",
                        {{"kind", kind.plural}, {"why", why_not_served}});
    co_await runtime::sleep_for(time, client::ask_again_after(answer));
  }
}

}  // namespace dcm::manager
