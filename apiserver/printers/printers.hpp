// The columns of `kubectl get` for each kind, and their contents for one object, as in
// kube-apiserver 1.37 (pkg/printers/internalversion) except the descriptions.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/text/json.hpp"
#include "runtime/time.hpp"

namespace dcm::apiserver {

struct Column {
  // Shown always, or only with `-o wide`.
  enum class Priority { always = 0, wide = 1 };

  std::string name;
  std::string type = "string";
  std::string format = "";
  std::string description = "";
  Priority priority = Priority::always;
};

struct Printer {
  std::vector<Column> columns;
  // One per column. `object` is of the stored version.
  std::function<JsonArray(const JsonObject& object, runtime::WallTime now)> cells;
};

// Name and creation time for a kind without its own columns.
const Printer& printer_of(std::string_view kind);

// The cells of kind `Pod`, in a separate file because of container states.
JsonArray pod_cells(const JsonObject& pod, runtime::WallTime now);

}  // namespace dcm::apiserver
