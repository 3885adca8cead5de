// The columns of `kubectl get` that a definition names (`additionalPrinterColumns`).
#pragma once

#include "apiserver/model/printer.hpp"

namespace dcm::apiserver {

// Of a version of a definition, which outlives it. Without columns of its own it has an age.
Printer printer_of_definition(const JsonObject& version);

}  // namespace dcm::apiserver
