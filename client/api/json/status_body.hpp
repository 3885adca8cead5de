// metav1.Status as JSON.
#pragma once

#include "client/api/json/reader.hpp"
#include "client/api/status_body.hpp"

namespace dcm::api::json {

[[nodiscard]] bool read_status_field(Reader& reader, std::string_view key, value field,
                                     StatusBody& status);

}  // namespace dcm::api::json
