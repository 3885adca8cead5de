// The requests of a pod's claims, prepared once for all nodes: their classes, and their selectors
// compiled when they are first needed.
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

// Null: there is no such class.
using FindClass = std::function<std::shared_ptr<const DeviceClass>(const std::string& name)>;

// A selector of a class or request.
struct PreparedSelector {
  using Compiled = std::expected<std::shared_ptr<const cel::Selector>, std::string>;
  const SelectorText* text;
  std::size_t index;  // in its list
  bool is_of_class;
  std::optional<Compiled> compiled = {};
  // Made when an explanation first needs it.
  std::shared_ptr<const cel::SelectorTrace> trace = {};
};

struct DerivedExpression {
  using Compiled = std::expected<std::shared_ptr<const cel::DerivedAttribute>, std::string>;
  const std::string* name;
  const std::string* text;
  std::optional<Compiled> compiled = {};
};

// One wish for devices.
struct PreparedAsk {
  const Request* request = nullptr;
  const Ask* ask = nullptr;
  std::size_t index = 0;  // among all asks
  std::string name = {};  // "request" or "request/subrequest"
  std::shared_ptr<const DeviceClass> device_class = {};
  std::string fault = {};                        // the error that it is; empty: none
  std::vector<PreparedSelector> selectors = {};  // the class's first
  std::vector<DerivedExpression> derived = {};
  std::vector<std::size_t> constraints = {};  // of the claim: those that concern it
};

struct PreparedRequest {
  const Request* request = nullptr;
  std::string fault = {};  // the error that it is, before its asks are looked at
  std::vector<PreparedAsk> asks = {};
};

struct PreparedClaim {
  ClaimView claim;
  std::vector<PreparedRequest> requests = {};
};

// Which selector of a device's decides against it, or fails.
struct SelectorVerdict {
  enum class Kind : std::uint8_t { matches, no_match, error };
  Kind kind = Kind::matches;
  PreparedSelector* selector = nullptr;  // null for `matches`
  std::string error = {};                // the whole text
};

class PreparedClaims {
 public:
  // What `claims` and `compiler` refer to must outlive it.
  PreparedClaims(std::span<const ClaimView> claims, const FindClass& find_class,
                 const Features& features, cel::SelectorCompiler& compiler);

  std::vector<PreparedClaim>& claims() { return claims_; }
  std::size_t asks() const { return asks_; }

  // Whether class and request select a device.
  SelectorVerdict select(const PreparedClaim& claim, PreparedAsk& ask, const Slice& slice,
                         const Device& device) const;
  // Null: the ask derives no attribute of that name. Compiles it if need be.
  DerivedExpression* find_derived(PreparedAsk& ask, const std::string& name) const;

 private:
  PreparedAsk prepare(const ClaimView& claim, const Request& request, const Ask& ask,
                      const FindClass& find_class, const Features& features);

  cel::SelectorCompiler* compiler_;
  std::vector<PreparedClaim> claims_;
  std::size_t asks_ = 0;
};

}  // namespace dcm::allocation
