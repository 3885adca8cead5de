// The columns of `kubectl get` from a definition's `additionalPrinterColumns`.
#pragma once

#include "apiserver/model/printer.hpp"

namespace dcm::apiserver {

// The columns of a version, which must outlive the result. Defaults to an age column.
Printer printer_of_definition(const JsonObject& version);

}  // namespace dcm::apiserver
