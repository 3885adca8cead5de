// Names of the resources that containers request (k8s.io/kubernetes pkg/apis/core).
#pragma once

#include <string>
#include <string_view>

#include "apiserver/model/api_error.hpp"

namespace dcm::apiserver {

constexpr std::string_view kHugePages = "hugepages-";  // the size follows

bool is_huge_page_resource(std::string_view resource);
// "cpu", "memory", huge pages: what a pod may request as a whole.
bool is_pod_resource(std::string_view resource);
// Whether only whole numbers of it exist.
bool is_counted_resource(std::string_view resource);
bool may_be_overcommitted(std::string_view resource);

void validate_container_resource(std::string_view resource, const std::string& path,
                                 Causes& causes);
void validate_pod_resource(std::string_view resource, const std::string& path, Causes& causes);

}  // namespace dcm::apiserver
