// Which fields of its kind a cache reads, for helpers that rely on one of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dcm::manager {

// A field and the member that it is read into: the row {"metadata.finalizers", &T::finalizers}.
struct Row {
  std::string_view path;
  std::string_view member;
};

class Rows {
 public:
  // nullopt: a custom decoder fills all members.
  explicit Rows(std::optional<std::vector<std::string>> paths = std::nullopt)
      : paths_(std::move(paths)) {}

  // Throws std::logic_error if the cache `name` lacks the row: the member would be empty for every
  // object, and a list that is written back would delete what others have put there.
  void require(const Row& row, std::string_view name) const;

 private:
  std::optional<std::vector<std::string>> paths_;
};

}  // namespace dcm::manager
