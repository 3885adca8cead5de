// metav1.CreateOptions, UpdateOptions and PatchOptions: the query of a write.
#pragma once

#include "apiserver/requests/writes.hpp"

namespace dcm::apiserver {

// 422 for unknown values. `kind` is "CreateOptions" or "UpdateOptions".
Result<> check_write_options(std::string_view kind, const Query& query);
// The same for a patch: an apply needs a manager, and may be forced; other patches may not.
Result<> check_patch_options(PatchKind kind, const Query& query);

// The options as admission policies see them.
JsonObject admission_options(const Query& query);

}  // namespace dcm::apiserver
