// A compiled ValidatingAdmissionPolicy, and its decision on a request (k8s.io apiserver
// pkg/admission/plugin/policy/validating).
#pragma once

#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/admission/environment.hpp"
#include "cel/program.hpp"

namespace dcm::apiserver {

// An expression, or why it does not compile.
struct Expression {
  std::string text;
  std::unique_ptr<const cel::Program> program = {};
  std::string error = {};
};

// The required result type of an expression.
enum class Returns { anything, boolean, string, string_or_null };

Expression compile_expression(std::string text, const cel::Library& library, Returns returns);

// A validation that does not hold.
struct Denial {
  std::string message;
  std::string reason;  // of a Status; "" stands for Invalid
};

struct Verdict {
  std::vector<Denial> denials;
  std::vector<Denial> failed_annotations;          // these deny regardless of the binding's actions
  std::map<std::string, std::string> annotations;  // for an audit log
};

// The inputs of expressions for a request; must outlive the evaluation.
struct Input {
  const JsonObject* object = nullptr;
  const JsonObject* old_object = nullptr;
  const JsonObject* ns = nullptr;
  const JsonObject* request = nullptr;
  // Match conditions see the resource of the request, not the one named by a rule.
  const JsonObject* original_request = nullptr;
  const JsonObject* params = nullptr;
};

struct Evaluated;

class Policy {
 public:
  // Accepts any policy: an expression that does not compile fails when it is evaluated.
  explicit Policy(const JsonObject& policy);

  Verdict evaluate(const Input& input) const;

 private:
  struct Validation {
    Expression expression;
    std::optional<Expression> message_expression;
    std::string message;
    std::string reason;
  };

  // The consequence of an error.
  Verdict failed(std::string message) const;
  std::expected<bool, std::string> meets_conditions(const Input& input) const;
  // `results` of the validations, in order.
  Verdict judge(const std::vector<Evaluated>& results, const Input& input,
                std::uint64_t budget) const;
  static Denial denial_of(const Validation& validation, std::string message);
  // Why annotations cannot be created.
  std::optional<std::string> annotate(const Input& input, Verdict& verdict) const;

  bool fails_closed_;  // failurePolicy: an error denies
  Environment environment_;
  std::map<std::string, Expression, std::less<>> variables_;
  std::vector<Expression> conditions_;
  std::vector<Validation> validations_;
  std::vector<std::pair<std::string, Expression>> annotations_;  // by key
};

}  // namespace dcm::apiserver
