#include "playground/cluster/silence.hpp"

#include <chrono>

namespace dcm::playground {
namespace {

// A driver registers within a second of its start.
constexpr auto kPatience = std::chrono::seconds(30);

}  // namespace

runtime::Task<> warn_of_silence(runtime::TimeSource& time, runtime::Logger log,
                                std::string registry, std::function<bool()> has_driver) {
  co_await runtime::sleep_for(time, kPatience);
  if (has_driver()) co_return;
  log.warning("No DRA driver has registered yet. A driver puts its socket into this folder",
              {{"folder", registry}});
}

}  // namespace dcm::playground
