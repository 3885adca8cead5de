// /debug/explain/…: what the controllers know of an object, what they do now and why, and what it
// waits for.
#pragma once

#include <functional>
#include <optional>

#include "client/request/rest_client.hpp"
#include "explain/render.hpp"
#include "explain/source.hpp"
#include "manager/pages.hpp"
#include "runtime/time.hpp"

namespace dcm::manager {

// Asked for with each request.
struct ExplainContext {
  // Null: there is none yet; then `teller().missing` says why.
  std::function<const ExplanationSource*()> source;
  std::function<Teller()> teller;
  // To read what others say of the object. Null: nobody is asked.
  client::RestClient* rest = nullptr;
};

// In sentences; as JSON with ?output=json, or where that is accepted and text is not; as HTML for
// browsers. 404: no such
// object is known; 503: nothing is known yet. `time` and what `context` refers to must outlive it.
Page make_explain_page(runtime::TimeSource& time, ExplainContext context);

}  // namespace dcm::manager
