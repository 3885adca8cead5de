// The live page of the playground, /ui/: static files that watch the API server like every other
// client. `kubectl proxy --www` serves the same files in front of any cluster.
#pragma once

#include "client/request/rest_client.hpp"
#include "runtime/http/server.hpp"
#include "runtime/time.hpp"

namespace dcm::playground {

// Answers /ui and everything below it, and leaves all other requests to `api`. /ui/explain/pods/…
// reads the cluster through `rest` and explains an object of it, as JSON. Both references must
// outlive the handler.
http::Handler with_ui(http::Handler api, client::RestClient& rest, runtime::TimeSource& time);

}  // namespace dcm::playground
