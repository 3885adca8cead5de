// What expressions of admission policies can use: their variables and the types of these
// (k8s.io/apiserver pkg/admission/plugin/cel).
#pragma once

#include <array>
#include <memory>

#include "apiserver/model/attributes.hpp"
#include "cel/library.hpp"
#include "cel/value.hpp"

namespace dcm::apiserver {

enum class Params { none, present };
// What a policy's `variables` are to an expression: unknown names, or fields that are declared one
// by one.
enum class Composition { none, variables };

// Each expression's library declares the same variables, so that they share their values.
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

  // The expressions of messages have no authorizer.
  const cel::Library& with_authorizer() const { return with_; }
  const cel::Library& without_authorizer() const { return without_; }
  // From now on `variables.name` is of that type. Requires Composition::variables.
  void declare(const std::string& name, const cel::Type* type);

 private:
  cel::Library with_;
  cel::Library without_;
};

// `request`, as CEL sees it. `matched`: the resource and kind that the policy's rule names.
JsonObject request_of(const Attributes& attributes, const ResourceType& matched,
                      std::string_view version, const GroupVersionKind& kind);
// What expressions see of a namespace: less of its metadata.
JsonObject namespace_of(const JsonObject& ns);

}  // namespace dcm::apiserver
