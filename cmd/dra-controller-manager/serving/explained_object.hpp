// Who may read an explanation: who may get the object that it is about.
#pragma once

#include <optional>
#include <string_view>

#include "client/api/access_review.hpp"

namespace dcm::dra_manager {

// The object that a page is about; nullopt: none, so the page needs a permission of its own.
std::optional<api::ResourceAttributes> explained_object(std::string_view path);

}  // namespace dcm::dra_manager
