// The admission policies in force. Each write is checked by the policies whose bindings match it
// (k8s.io/apiserver pkg/admission/plugin/policy).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apiserver/admission/policy.hpp"
#include "apiserver/model/api_error.hpp"
#include "apiserver/model/attributes.hpp"
#include "apiserver/model/resource_table.hpp"
#include "apiserver/store/store.hpp"

namespace dcm::apiserver {

class Policies {
 public:
  // All references must outlive the policies.
  Policies(const Store& store, const ResourceTable& types) : store_(store), types_(types) {}

  // Whether any policy was ever stored. Cheap.
  bool are_there() const;
  // The refusal of the first policy that denies the request. The others are still evaluated, for
  // their warnings.
  Result<> admit(const Attributes& attributes);

  // The warnings since the last call.
  std::vector<std::string> take_warnings();

 private:
  // A policy in force.
  struct Hook {
    Stored object;
    std::shared_ptr<const Policy> policy;
    std::vector<Stored> bindings;
  };
  class Request;

  void refresh();
  std::shared_ptr<const Policy> compiled(const Stored& object) const;

  const Store& store_;
  const ResourceTable& types_;
  std::vector<Hook> hooks_;
  std::uint64_t seen_ = 0;  // number of changes of policies and bindings
  std::vector<std::string> warnings_;
};

}  // namespace dcm::apiserver
