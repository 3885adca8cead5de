// Imitates Go's encoder for an object of a kind: it always writes some members, as `null`, "" or an
// empty object, because their fields have no `omitempty`; and it leaves out empty texts.
//
// Clients meet both: `eventTime: null` in an event, `requests: null` in a claim that asks for
// nothing. Only for what the kinds here have; nothing is known of the rest.
#pragma once

#include <string_view>

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

// Makes an object of `kind`, as it is stored (v1), look as if it had been through a Go struct.
void write_as_go(std::string_view kind, JsonObject& object);
// The same of the spec of a workload's pods.
void write_pod_spec_as_go(JsonObject& spec);

}  // namespace dcm::apiserver
