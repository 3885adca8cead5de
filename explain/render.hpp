// Formats an explanation as text or JSON: the only place that does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/common/explanation.hpp"
#include "explain/outcome.hpp"
#include "runtime/time.hpp"

namespace dcm::explain {

// The author of an explanation.
struct Teller {
  enum class Role : std::uint8_t {
    works,      // it holds the lease, or needs none
    stands_by,  // another instance leads, or no instance does
    watches,    // --dry-run: it carries nothing out, and has no lease
    reads,      // a command that read the cluster once and carries nothing out
  };
  Role role = Role::works;
  std::string identity = {};  // in the lease; empty: no leader election
  std::string leader = {};    // empty: no leader is known
  // Missing inputs, without which the explanation may be wrong; empty: complete.
  std::string missing = {};
};

struct Told {
  common::Explanation explanation;
  Teller teller;
  runtime::WallTime at;
};

enum class Format : std::uint8_t { text, json, html };

// The header of a page that mentions something unreadable.
inline constexpr const char* kInPartHeader = "X-Explained-In-Part";

std::string_view content_type_of(Format format);
std::string render(const Told& told, Format format);
// Formats a problem instead of an explanation: a sentence without a full stop.
std::string render_problem(std::string_view problem, Format format);

// Whether all important inputs could be read.
ExplainStatus status_of(const common::Explanation& explanation);

// The sentences with the worst outlook.
std::vector<std::string> summary_of(const common::Explanation& explanation);

}  // namespace dcm::explain
