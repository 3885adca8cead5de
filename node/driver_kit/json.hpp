// Parts of JSON objects from the API.
#pragma once

#include "runtime/json.hpp"

namespace dcm::driver_kit {

using runtime::array_at;
using runtime::find_at;
using runtime::integer_at;
using runtime::parse_json;
using runtime::text_at;

}  // namespace dcm::driver_kit
