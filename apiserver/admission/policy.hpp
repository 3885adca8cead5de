// A ValidatingAdmissionPolicy that is compiled, and what it decides about a request (k8s.io
// /apiserver pkg/admission/plugin/policy/validating).
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

// What an expression must evaluate to.
enum class Returns { anything, boolean, string, string_or_null };

Expression compile_expression(std::string text, const cel::Library& library, Returns returns);

// A validation that does not hold.
struct Denial {
  std::string message;
  std::string reason;  // of a Status; "": there is none, and Invalid stands for it
};

struct Verdict {
  std::vector<Denial> denials;
  std::vector<Denial> failed_annotations;          // these deny whatever the binding's actions
  std::map<std::string, std::string> annotations;  // for an audit log
};

// What expressions see of a request; outlives the evaluation.
struct Input {
  const JsonObject* object = nullptr;
  const JsonObject* old_object = nullptr;
  const JsonObject* ns = nullptr;
  const JsonObject* request = nullptr;
  // Match conditions see the resource of the request, not the one that a rule names.
  const JsonObject* original_request = nullptr;
  const JsonObject* params = nullptr;
};

struct Result;

class Policy {
 public:
  // Whatever it is: an expression that does not compile fails when it is evaluated.
  explicit Policy(const JsonObject& policy);

  Verdict evaluate(const Input& input) const;

 private:
  struct Validation {
    Expression expression;
    std::optional<Expression> message_expression;
    std::string message;
    std::string reason;
  };

  // What an error decides.
  Verdict failed(std::string message) const;
  std::expected<bool, std::string> meets_conditions(const Input& input) const;
  // `results` of the validations, in their order.
  Verdict judge(const std::vector<Result>& results, const Input& input, std::uint64_t budget) const;
  static Denial denial_of(const Validation& validation, std::string message);
  // Why no annotation can be made at all.
  std::optional<std::string> annotate(const Input& input, Verdict& verdict) const;

  bool fails_closed_;  // failurePolicy: an error denies
  Environment environment_;
  std::map<std::string, Expression, std::less<>> variables_;
  std::vector<Expression> conditions_;
  std::vector<Validation> validations_;
  std::vector<std::pair<std::string, Expression>> annotations_;  // by key
};

}  // namespace dcm::apiserver
