#include "apiserver/front/kubeconfig.hpp"

#include <fmt/format.h>

namespace dcm::apiserver {

std::string kubeconfig_text(std::string_view name, std::string_view url) {
  return fmt::format(
      "apiVersion: v1\n"
      "kind: Config\n"
      "clusters:\n"
      "  - name: {0}\n"
      "    cluster:\n"
      "      server: {1}\n"
      "users:\n"
      "  - name: anybody\n"
      "    user: {{}}\n"
      "contexts:\n"
      "  - name: {0}\n"
      "    context:\n"
      "      cluster: {0}\n"
      "      user: anybody\n"
      "current-context: {0}\n",
      name, url);
}

}  // namespace dcm::apiserver
