// The columns of `kubectl get` from a definition's `additionalPrinterColumns`.
#pragma once

#include "apiserver/model/printer.hpp"

namespace dcm::apiserver {

// Of a version of a definition, which outlives it. Defaults to an age column.
Printer printer_of_definition(const JsonObject& version);

}  // namespace dcm::apiserver
