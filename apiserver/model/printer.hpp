// The columns of `kubectl get` for one kind.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apiserver/text/json.hpp"
#include "runtime/time.hpp"

namespace dcm::apiserver {

struct Column {
  // Always shown, or only with `-o wide`.
  enum class Priority { always = 0, wide = 1 };

  std::string name;
  std::string type = "string";
  std::string format = "";
  std::string description = "";
  Priority priority = Priority::always;
};

struct Printer {
  std::vector<Column> columns;
  // As many as there are columns. `object` has the stored version.
  std::function<JsonArray(const JsonObject& object, runtime::WallTime now)> cells;
};

}  // namespace dcm::apiserver
