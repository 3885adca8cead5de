// debug/explain/…: what the controllers know about an object, what they do for it now and why, and
// what it waits for.
#pragma once

#include <cstddef>
#include <functional>

#include "client/request/rest_client.hpp"
#include "explain/devices/read_devices.hpp"
#include "explain/render.hpp"
#include "explain/source.hpp"
#include "manager/pages.hpp"
#include "runtime/time.hpp"

namespace dcm::explain {

using manager::Audience;
using manager::Page;

// Called for each request.
struct ExplainContext {
  // Returns null if there is none yet; then `teller().missing` says why.
  std::function<const ExplanationSource*()> source;
  std::function<Teller()> teller;
  // To read other components' messages about the object. Null: none are read.
  client::RestClient* rest = nullptr;
  // More would take too much of the manager's memory and time; the answer says that it does not
  // cover devices.
  DeviceLimits devices = {.list_bytes_max = std::size_t{64} << 20, .steps_max = 20'000};
};

// In sentences; as JSON with ?output=json, or if Accept has JSON but not text; as HTML for
// browsers. 404: the object is unknown; 503: nothing is known yet. `time` and the references in
// `context` must outlive it.
Page make_explain_page(runtime::TimeSource& time, ExplainContext context);

}  // namespace dcm::explain
