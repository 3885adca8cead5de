// `x-kubernetes-validations`: CEL rules for the values of an object (k8s.io/apiextensions-apiserver
// pkg/apiserver/schema/cel).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/definitions/rule_types.hpp"
#include "apiserver/model/api_error.hpp"
#include "cel/program.hpp"

namespace dcm::apiserver {

// A compiled rule, or why it does not compile.
struct CompiledRule {
  const RuleText* text;
  std::unique_ptr<const cel::Program> program = {};
  std::string error = {};
  bool uses_old = false;
  std::unique_ptr<const cel::Program> message = {};
  std::string message_error = {};
  std::string field = {};  // of the blamed value
};

// The rules of one schema, and of nested schemas. The schema must outlive it.
class Rules {
 public:
  // Null if there are none.
  static std::unique_ptr<const Rules> compile(const Structural& schema, IsResource resource);

  // `old`: the value before an update; null if new.
  void validate(const Json& value, const Json* old, Causes& causes) const;

  // A default, at `path`. It is its own predecessor. `budget` is the cost that is left; nothing is
  // checked after it has been exhausted.
  void validate_default(const Json& value, const std::string& path, std::uint64_t& budget,
                        Causes& causes) const;

  const std::vector<CompiledRule>& compiled() const { return compiled_; }
  const Structural& schema() const { return schema_; }
  IsResource resource() const { return resource_; }
  // Null if rules cannot see the values.
  const RuleType* type() const { return type_ ? &*type_ : nullptr; }
  const std::map<std::string, std::unique_ptr<const Rules>>& properties() const {
    return properties_;
  }
  // Null if there are none.
  const Rules* property(const std::string& name) const {
    const auto found = properties_.find(name);
    return found == properties_.end() ? nullptr : found->second.get();
  }
  const Rules* items() const { return items_.get(); }
  const Rules* values() const { return values_.get(); }

 private:
  Rules(const Structural& schema, IsResource resource);
  void compile_own();
  CompiledRule compile_rule(const RuleText& text);

  const Structural& schema_;
  IsResource resource_;
  // For rules with `oldSelf` as a value, and for rules with an optional `oldSelf`.
  std::unique_ptr<cel::Library> library_;
  std::unique_ptr<cel::Library> optional_library_;
  std::optional<RuleType> type_;
  std::vector<CompiledRule> compiled_;
  std::map<std::string, std::unique_ptr<const Rules>> properties_;
  std::unique_ptr<const Rules> items_;
  std::unique_ptr<const Rules> values_;
};

constexpr std::uint64_t kRuleBudget = 10'000'000;  // the cost of all rules of an object

// Rejects rules that do not compile, and those that could cost too much. `path`: of the schema.
// Rules of a schema are not checked if `of_schema` has causes at or below it.
void validate_rules(const Rules& rules, const std::string& path, const Causes& of_schema,
                    Causes& causes);

}  // namespace dcm::apiserver
