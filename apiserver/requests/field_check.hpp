// `fieldValidation`: the treatment of unknown and duplicate fields (KEP-2885). They are dropped in
// any case; the client gets a warning or a failure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/requests/request.hpp"

namespace dcm::apiserver {

class FieldCheck {
 public:
  // Requires valid options. The default is to warn.
  explicit FieldCheck(const Query& query);

  bool ignores_problems() const { return mode_ == Mode::ignore; }
  // Records what is wrong with a body. If that is a failure, returns its text.
  std::optional<std::string> objection(const std::vector<std::string>& problems);

  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  enum class Mode { ignore, warn, strict };

  Mode mode_;
  std::vector<std::string> warnings_;
};

// `unknown field "spec.nonsense"`, for each path.
std::vector<std::string> unknown_fields(const std::vector<std::string>& paths);
// `duplicate field "spec.containers"`, for each duplicate member.
std::vector<std::string> duplicate_fields(std::string_view json, std::string_view before = "");

}  // namespace dcm::apiserver
