// The requests of a pod's claims, prepared once for all nodes. Resolves their classes, and compiles
// selectors on first use.
#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "allocation/claim.hpp"
#include "allocation/features.hpp"
#include "allocation/slice.hpp"
#include "cel/kubernetes/selector.hpp"

namespace dcm::allocation {

// Null if there is no such class.
using FindClass = std::function<api::ObjectPtr<DeviceClass>(const std::string& name)>;

// Why a request is invalid.
struct RequestFault {
  enum class Kind : std::uint8_t { feature_is_off, class_is_missing, is_malformed };
  Kind kind;
  std::string text;  // in kube-scheduler's words
};

// A selector of a class or request.
struct PreparedSelector {
  using Compiled = std::expected<std::shared_ptr<const cel::Selector>, std::string>;
  const SelectorText* text;
  std::size_t index;  // in its list
  bool is_of_class;
  std::optional<Compiled> compiled = {};
  // Created when an explanation first needs it.
  std::shared_ptr<const cel::SelectorTrace> trace = {};
};

struct DerivedExpression {
  using Compiled = std::expected<std::shared_ptr<const cel::DerivedAttribute>, std::string>;
  const std::string* name;
  const std::string* text;
  std::optional<Compiled> compiled = {};
};

// One alternative of a request.
struct PreparedAsk {
  const Request* request = nullptr;
  const Ask* ask = nullptr;
  std::size_t index = 0;  // among all asks
  std::string name = {};  // "request" or "request/subrequest"
  api::ObjectPtr<DeviceClass> device_class = {};
  std::optional<RequestFault> fault = {};        // nullopt: it is valid
  std::vector<PreparedSelector> selectors = {};  // the class's first
  std::vector<DerivedExpression> derived = {};
  std::vector<std::size_t> constraints = {};  // from the claim: constraints that apply to it
};

struct PreparedRequest {
  const Request* request = nullptr;
  std::optional<RequestFault> fault = {};  // checked before its asks
  std::vector<PreparedAsk> asks = {};
};

struct PreparedClaim {
  ClaimView claim;
  std::vector<PreparedRequest> requests = {};
};

// Which selector rejects a device, or fails.
struct SelectorVerdict {
  enum class Kind : std::uint8_t { matches, no_match, error };
  Kind kind = Kind::matches;
  PreparedSelector* selector = nullptr;  // null for `matches`
  std::string error = {};                // the whole text
};

class PreparedClaims {
 public:
  // The objects behind `claims` and `compiler` must outlive it.
  PreparedClaims(std::span<const ClaimView> claims, const FindClass& find_class,
                 const Features& features, cel::SelectorCompiler& compiler);

  std::vector<PreparedClaim>& claims() { return claims_; }
  std::size_t asks() const { return asks_; }

  // Whether class and request accept a device.
  SelectorVerdict select(const PreparedClaim& claim, PreparedAsk& ask, const Slice& slice,
                         const Device& device) const;
  // Null if the ask derives no attribute of that name. Compiles it on first use.
  DerivedExpression* find_derived(PreparedAsk& ask, const std::string& name) const;

 private:
  PreparedAsk prepare(const ClaimView& claim, const Request& request, const Ask& ask,
                      const FindClass& find_class, const Features& features);

  cel::SelectorCompiler* compiler_;
  std::vector<PreparedClaim> claims_;
  std::size_t asks_ = 0;
};

}  // namespace dcm::allocation
