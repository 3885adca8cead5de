// Errors of writes that get a 404 although their object exists. Without a reason of their own, a
// handler would conclude that the object is gone, and retry forever without logging anything.
#pragma once

#include <string_view>

#include "client/api/resource.hpp"
#include "runtime/error.hpp"

namespace dcm::manager {

// For a write that makes its object if it is missing: its namespace is.
runtime::Error without_namespace(runtime::Error error, std::string_view namespace_);
// For a write to a subresource of an object that exists: the API server answers as if the object
// did not (apiextensions-apiserver, customresource_handler.go).
runtime::Error without_subresource(runtime::Error error, const api::Resource& resource,
                                   std::string_view subresource);

}  // namespace dcm::manager
