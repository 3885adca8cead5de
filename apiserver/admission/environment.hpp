// The variables of admission policies' expressions, and their types (k8s.io/apiserver
// pkg/admission/plugin/cel).
#pragma once

#include <array>

#include "apiserver/model/attributes.hpp"
#include "cel/library.hpp"
#include "cel/value.hpp"

namespace dcm::apiserver {

enum class Params { none, present };
// How an expression sees a policy's `variables`: as unknown names, or as fields declared one by
// one.
enum class Composition { none, variables };

// Every expression's library declares the same variables, so that they share values.
enum Variable : std::uint8_t {
  kObject,
  kOldObject,
  kNamespaceObject,
  kRequest,
  kVariables,
  kParams,
  kAuthorizer,
  kRequestResource,
  kVariableCount
};
using VariableValues = std::array<cel::Value, kVariableCount>;

class Environment {
 public:
  Environment(Params params, Composition composition);

  // Message expressions have no authorizer.
  const cel::Library& with_authorizer() const { return with_; }
  const cel::Library& without_authorizer() const { return without_; }
  // Declares the type of `variables.name`. Requires Composition::variables.
  void declare(const std::string& name, const cel::Type* type);

 private:
  cel::Library with_;
  cel::Library without_;
};

// `request`, as CEL sees it. `matched`: the resource and kind named by the policy's rule.
JsonObject request_of(const Attributes& attributes, const ResourceType& matched,
                      std::string_view version, const GroupVersionKind& kind);
// The part of a namespace that expressions see: not all of its metadata.
JsonObject namespace_of(const JsonObject& ns);

}  // namespace dcm::apiserver
