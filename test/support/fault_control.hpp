// The fault proxy's control port: JSON over plain HTTP, for the test that drives it.
//
//   POST   /rules               {"method": "PATCH", "target": "/pods/[^/]+/status", "skip": 0,
//                                "times": 1, "fault": "drop_answer"} → {"id": 1}
//                               with "answer": "status", "headers" {}, "body"; with "cut_answer":
//                               "bytes"
//   GET    /rules/1             {"matched": 1, "held": 0}
//   POST   /rules/1/release     {"how": "pass"} or {"how": "lose"}
//   DELETE /rules
//   POST   /watches             {"target": "/pods", "do": "cut" | "stall" | "resume"} or
//                               {…, "do": "inject", "event": "…"} → {"watches": 1}
//   GET    /requests            [{"method", "target", "body", "status"}, …]
#pragma once

#include "runtime/http/server.hpp"
#include "test/support/fault_proxy.hpp"

namespace dcm::support {

// `proxy` must outlive the server that calls it. Invalid requests get a 400 with the reason.
http::Handler make_fault_control(FaultProxy& proxy);

std::string_view to_string(FaultKind kind);

}  // namespace dcm::support
