// The two patch types that carry a change: JSON merge patch (RFC 7396) and Kubernetes' strategic
// merge patch, which merges lists by key and supports directives. Server-side apply, the third, is
// in apply.hpp.
#pragma once

#include "apiserver/model/api_error.hpp"
#include "apiserver/schemas/schema.hpp"

namespace dcm::apiserver {

void apply_merge_patch(JsonObject& object, const JsonObject& patch);

// Like apimachinery's strategicpatch, with the directives `$patch: delete|replace|merge`,
// `$retainKeys`, `$deleteFromPrimitiveList/<list>` and `$setElementOrder/<list>`; null removes a
// member. Without an order, new items go to the front of the list, or next to the existing items
// beside which the patch lists them.
Result<> apply_strategic_merge_patch(JsonObject& object, const JsonObject& patch,
                                     const Schema& schema);

}  // namespace dcm::apiserver
