// JSON patch (RFC 6902), as implemented by a real server's library, which is more lenient than the
// RFC. `replace` and `copy` accept a missing member, `test` treats it as null, and an index may
// count from the end.
#pragma once

#include <string>
#include <vector>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// Whether an operation's members must be strings. Where they need not be, the operation fails when
// it is reached.
enum class OperationStrings { checked, unchecked };

// 400 if it is no patch, 413 for more than 10,000 operations.
Result<JsonArray> decode_json_patch(std::string_view body,
                                    OperationStrings strings = OperationStrings::checked);

// Ignored members of operations: "[0].extra".
std::vector<std::string> unknown_json_patch_fields(const JsonArray& patch);

// 422 if an operation does not apply, a `test` fails, or copies add more than 3 MiB. Then the
// object may be partly changed.
Result<> apply_json_patch(JsonObject& object, const JsonArray& patch);

}  // namespace dcm::apiserver
