// The two patch types that carry a change: JSON merge patch (RFC 7386) and Kubernetes' strategic
// merge patch, which knows lists that are maps and takes directives. Server-side apply, the third,
// is in apply.hpp.
#pragma once

#include "apiserver/model/api_error.hpp"
#include "apiserver/schemas/schema.hpp"

namespace dcm::apiserver {

void apply_merge_patch(JsonObject& object, const JsonObject& patch);

// As apimachinery's strategicpatch does it: with the directives `$patch: delete|replace|merge`,
// `$retainKeys`, `$deleteFromPrimitiveList/<list>` and `$setElementOrder/<list>`; null removes a
// member. Without an order a list's new items go to its front, or where the patch has them among
// the known ones.
Outcome<> apply_strategic_merge_patch(JsonObject& object, const JsonObject& patch,
                                      const Schema& schema);

}  // namespace dcm::apiserver
