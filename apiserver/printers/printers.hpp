// The columns of `kubectl get` for each kind, and their contents for one object, as in
// kube-apiserver 1.37 (pkg/printers/internalversion) except the descriptions.
#pragma once

#include <string_view>

#include "apiserver/model/printer.hpp"
#include "apiserver/model/resource_type.hpp"

namespace dcm::apiserver {

// Name and creation time for a kind without its own columns.
const Printer& printer_of(std::string_view kind);
// The columns of its definition, if a client has defined the kind.
const Printer& printer_of(const ResourceType& type);

// The cells of kind `Pod`, in a separate file because of container states.
JsonArray pod_cells(const JsonObject& pod, runtime::WallTime now);

}  // namespace dcm::apiserver
