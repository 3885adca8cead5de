// A stored object, its key, and the number of a change.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "apiserver/text/json.hpp"

namespace dcm::apiserver {

using Revision = std::uint64_t;
using Stored = std::shared_ptr<const JsonObject>;

// "<namespace>/<name>", or "<name>" for what has no namespace: objects are listed in the order of
// these strings, as etcd lists them.
std::string object_key(std::string_view ns, std::string_view name);

}  // namespace dcm::apiserver
