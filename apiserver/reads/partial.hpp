// meta.k8s.io PartialObjectMetadata: only the metadata of an object, as garbage collectors and
// metadata informers request it.
#pragma once

#include <string>

#include "apiserver/reads/list_text.hpp"
#include "apiserver/reads/media.hpp"
#include "apiserver/requests/request.hpp"
#include "apiserver/store/store.hpp"

namespace dcm::apiserver {

std::string encode_partial(const Stored& object, const Form& form);
// `metadata` is a ListMeta.
ListText partial_list_text(const JsonObject& metadata, const Form& form);

// Converts a JSON response, a Status or the answer to a write, to the requested form, if any.
// (Writes ignore tables, although kubectl requests them.)
void to_form(const Form& form, Response& response);

}  // namespace dcm::apiserver
