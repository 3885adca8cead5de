// Converts between the versions of a kind. Objects are stored as v1; the differences are:
// - v1beta1 has the parts of `spec.devices.requests[].exactly` in the request itself, also in
//   templates, and a slice's device below `basic`;
// - events.k8s.io/v1 has other names for some fields of an Event (v1);
// - a defined kind has the fields and defaults of the version's schema;
// - v1beta2 of all kinds, and v1beta2 and v1alpha3 of DeviceTaintRule, equal v1.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/model/stored.hpp"

namespace dcm::apiserver {

struct ResourceType;

void to_stored_version(const ResourceType& type, std::string_view version, JsonObject& object);
void from_stored_version(const ResourceType& type, std::string_view version, JsonObject& object);
// An object of a defined kind with the fields and defaults of its present schema; others are as
// they were stored.
Stored as_shown(const ResourceType& type, const Stored& object);
// Drops fields that are not in the schema of a defined kind's stored version.
void drop_unstored(const ResourceType& type, JsonObject& object);
// The path of a rejected field, as the real server names it to a client of that version: in v1beta1
// if a declared rule rejects it, otherwise in the internal version.
std::string field_in_version(const ResourceType& type, std::string_view version, std::string field);
// Whether the object differs at all in that version.
bool needs_conversion(const ResourceType& type, std::string_view version);

}  // namespace dcm::apiserver
