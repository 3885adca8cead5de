// The kinds that this server is built with, as one table.
#pragma once

#include <list>

#include "apiserver/model/resource_type.hpp"

namespace dcm::apiserver {

// Each has only the versions that are always served; ResourceTable::serve() chooses the others.
std::list<ResourceType> built_in_kinds();

}  // namespace dcm::apiserver
