// One phase of a policy's evaluation: its expressions share variables, each evaluated on first use,
// and a cost budget.
#pragma once

#include <map>
#include <string>

#include "apiserver/admission/policy.hpp"
#include "cel/value.hpp"

namespace dcm::apiserver {

// The value lives as long as the evaluation. "" means no error.
struct Evaluated {
  cel::Value value;
  std::string error = {};
};

enum class Phase { match_conditions, validations, messages, audit };

using Expressions = std::map<std::string, Expression, std::less<>>;

class Evaluation {
 public:
  // All references must outlive it.
  Evaluation(const Expressions& variables, const Input& input, Phase phase, std::uint64_t budget);
  Evaluation(const Evaluation&) = delete;
  Evaluation& operator=(const Evaluation&) = delete;

  Evaluated run(const Expression& expression);
  bool is_out_of_budget() const { return is_out_of_budget_; }
  // The remaining budget.
  std::uint64_t budget() const { return budget_; }

 private:
  void spend(std::uint64_t cost);
  cel::Value evaluate(const cel::Program& program, std::uint64_t& cost);
  cel::Value variable(std::string_view name);

  // `variables`, each field of which is evaluated once.
  class LazyVariables final : public cel::Map {
   public:
    explicit LazyVariables(Evaluation& evaluation) : evaluation_(evaluation) {}
    std::size_t size() const override { return evaluation_.variables_.size(); }
    std::optional<cel::Value> find(cel::Value key, cel::Arena& arena) const override;
    Entry entry(std::size_t index, cel::Arena& arena) const override;

   private:
    Evaluation& evaluation_;
  };

  const Expressions& variables_;
  cel::Arena arena_;
  LazyVariables lazy_{*this};
  VariableValues values_;
  std::map<std::string, cel::Value, std::less<>> known_;
  std::uint64_t budget_;
  std::uint64_t cost_of_variables_ = 0;
  bool is_out_of_budget_ = false;
};

}  // namespace dcm::apiserver
