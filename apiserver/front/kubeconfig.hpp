// A kubeconfig for the API server in memory, which asks for no credentials.
#pragma once

#include <string>
#include <string_view>

namespace dcm::apiserver {

// `name`: of its only cluster and context.
std::string kubeconfig_text(std::string_view name, std::string_view url);

}  // namespace dcm::apiserver
