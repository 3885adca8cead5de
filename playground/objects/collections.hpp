// The contents of a namespace: the collections in an API server's discovery documents, and the
// requests that empty them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "playground/objects/api.hpp"

namespace dcm::playground {

// The paths of all collections in that namespace that can be listed and deleted, each kind in its
// group's first version that has it: "/api/v1/namespaces/lab/pods".
Task<Result<std::vector<std::string>>> find_namespaced_collections(Api& api,
                                                                   std::string namespace_);

// From an APIGroupList: the versions of each group, preferred first ("/apis/resource.k8s.io/v1").
Result<std::vector<std::vector<std::string>>> decode_roots(std::string_view body);
// From an APIResourceList: the plural names of namespaced kinds that can be listed and deleted as a
// collection.
Result<std::vector<std::string>> decode_collections(std::string_view body);

// Whether a list is empty.
Result<bool> is_empty_list(std::string_view body);

// A namespace without the finalizer that protects its content.
Result<std::string> encode_finalized(std::string_view namespace_);

}  // namespace dcm::playground
