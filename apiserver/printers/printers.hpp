// The columns of `kubectl get`, for each kind: which there are, and what stands in them for one
// object. As kube-apiserver 1.37 has them (pkg/printers/internalversion), but for the descriptions.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/text/json.hpp"
#include "runtime/time.hpp"

namespace dcm::apiserver {

struct Column {
  // Shown always, or with `-o wide` alone.
  enum class Priority { always = 0, wide = 1 };

  std::string name;
  std::string type = "string";
  std::string format = "";
  std::string description = "";
  Priority priority = Priority::always;
};

struct Printer {
  std::vector<Column> columns;
  // As many as there are columns. `object` is of the stored version.
  std::function<JsonArray(const JsonObject& object, runtime::WallTime now)> cells;
};

// Name and creation time for a kind without columns of its own.
const Printer& printer_of(std::string_view kind);

// The cells of kind `Pod`: container states make them longer than those of all other kinds.
JsonArray pod_cells(const JsonObject& pod, runtime::WallTime now);

}  // namespace dcm::apiserver
