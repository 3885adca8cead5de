// The objects that bindings name as a policy's parameters.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/model/attributes.hpp"
#include "apiserver/model/resource_table.hpp"
#include "apiserver/store/store.hpp"

namespace dcm::apiserver {

class ParamsOf {
 public:
  // For the kind that the policy names, if any. Error: there is no such kind.
  static std::expected<ParamsOf, std::string> find(const JsonObject& policy,
                                                   const ResourceTable& types);

  // The policy is evaluated once for each; nullopt: without parameters. `ns`: of the request. The
  // error explains what is wrong with the binding.
  using All = std::vector<std::optional<JsonObject>>;
  std::expected<All, std::string> of(const JsonObject& binding, std::string_view ns,
                                     const Store& store) const;

 private:
  std::expected<std::string, std::string> namespace_for(const JsonObject& reference,
                                                        std::string_view ns) const;

  const ResourceType* type_ = nullptr;  // null: no parameters
  std::string version_;
};

}  // namespace dcm::apiserver
