// Device selectors: CEL expressions over one variable, `device`, compiled once and evaluated often.
#pragma once

#include <cstdint>
#include <expected>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "cel/kubernetes/device.hpp"

namespace dcm::cel {

class Program;
class Trace;
struct Reason;

// Which functions exist, and how attributes are typed.
enum class Environment : std::uint8_t {
  stored_expressions,  // allowed in stored objects: everything up to the newest version
  new_expressions,     // allowed by the API server in new objects: one version less
};

struct SelectorFeatures {
  bool consumable_capacity = true;  // device.allowMultipleAllocations
  bool list_attributes = false;     // attributes typed so that lists fit in new expressions as well

  friend bool operator==(const SelectorFeatures&, const SelectorFeatures&) = default;
};

// Statistics of an evaluation.
struct EvaluationCost {
  std::uint64_t actual = 0;
};

// A compiled selector: immutable, shared by all users of the same text.
class Selector {
 public:
  explicit Selector(std::unique_ptr<const Program> program);
  ~Selector();
  Selector(const Selector&) = delete;
  Selector& operator=(const Selector&) = delete;

  // Whether the selector accepts the device. The error is what kube-scheduler prints after "CEL
  // runtime error: ". No allocation for comparisons of attributes, has(), logic and quantities.
  std::expected<bool, std::string> matches(const DeviceView& device,
                                           EvaluationCost* cost = nullptr) const;

  // The API server rejects more than 1,000,000. 2^64-1: unbounded.
  std::uint64_t max_cost() const;

 private:
  friend class SelectorTrace;
  std::unique_ptr<const Program> program_;
};

// Why a selector does not match a device.
class SelectorTrace {
 public:
  // `selector` must outlive it.
  explicit SelectorTrace(const Selector& selector);
  ~SelectorTrace();
  SelectorTrace(const SelectorTrace&) = delete;
  SelectorTrace& operator=(const SelectorTrace&) = delete;

  // For a device for which matches() was false or an error.
  Reason why(const DeviceView& device) const;

 private:
  std::unique_ptr<const Trace> trace_;
};

// The value of a derived attribute; for strings, whether they are versions.
struct DerivedValue {
  using Texts = std::vector<std::string>;
  std::variant<bool, std::int64_t, std::string, std::vector<bool>, std::vector<std::int64_t>, Texts>
      value;
  bool is_version = false;
};

// A compiled expression of a derived attribute.
class DerivedAttribute {
 public:
  explicit DerivedAttribute(std::unique_ptr<const Program> program);
  ~DerivedAttribute();
  DerivedAttribute(const DerivedAttribute&) = delete;
  DerivedAttribute& operator=(const DerivedAttribute&) = delete;

  std::expected<DerivedValue, std::string> evaluate(const DeviceView& device) const;

 private:
  std::unique_ptr<const Program> program_;
};

// Compiles selectors, and keeps the most recently used ones. Errors are what kube-scheduler prints
// after "CEL compile error: ".
class SelectorCompiler {
 public:
  explicit SelectorCompiler(SelectorFeatures features = {}, std::size_t cached = 1024);
  ~SelectorCompiler();

  std::expected<std::shared_ptr<const Selector>, std::string> compile(
      std::string_view expression, Environment environment = Environment::stored_expressions);
  std::expected<std::shared_ptr<const DerivedAttribute>, std::string> compile_derived(
      std::string_view expression, Environment environment = Environment::stored_expressions) const;

 private:
  struct Entry {
    Environment environment;
    std::string expression;
    std::shared_ptr<const Selector> selector;
  };

  SelectorFeatures features_;
  std::size_t cached_;
  std::list<Entry> recent_;  // most recently used first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> index_[2];
};

}  // namespace dcm::cel
