// JSON patch (RFC 6902), as the library of a real server takes it: it is more lenient than the RFC.
// `replace` and `copy` take a member that is missing, `test` finds it to be null, and an index may
// count from the end.
#pragma once

#include <string>
#include <vector>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

// Whether an operation's members must be strings. Where they need not be, the operation does not
// apply when its turn comes.
enum class OperationStrings { checked, unchecked };

// 400 for what is no patch, 413 for one of more than 10,000 operations.
Outcome<JsonArray> decode_json_patch(std::string_view body,
                                     OperationStrings strings = OperationStrings::checked);

// Members of operations that mean nothing: "[0].extra".
std::vector<std::string> unknown_json_patch_fields(const JsonArray& patch);

// 422 if an operation does not apply, a `test` fails, or copies add more than 3 MiB. The object may
// be changed in part then.
Outcome<> apply_json_patch(JsonObject& object, const JsonArray& patch);

}  // namespace dcm::apiserver
