// What a driver that has gone wrong may answer: far more than its node can use.
#pragma once

#include <optional>
#include <vector>

#include "node/claims/decide.hpp"
#include "runtime/rng.hpp"

namespace dcm::simulation {

enum class HugeAnswer { devices, identifiers, error, unknown_claims };
inline constexpr std::size_t kHugeAnswers = 4;

// As the node reads it from the wire; nullopt: not a valid answer.
std::optional<node::Answers> huge_prepare_answer(const std::vector<node::ClaimRef>& claims,
                                                 HugeAnswer what);

}  // namespace dcm::simulation
