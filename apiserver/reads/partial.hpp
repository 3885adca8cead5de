// meta.k8s.io PartialObjectMetadata: of an object its metadata only, as garbage collectors and
// metadata informers ask for it.
#pragma once

#include <span>
#include <string>

#include "apiserver/reads/list_text.hpp"
#include "apiserver/reads/media.hpp"
#include "apiserver/requests/request.hpp"
#include "apiserver/store/store.hpp"

namespace dcm::apiserver {

std::string encode_partial(const Stored& object, const Form& form);
// `metadata` is a ListMeta.
ListText partial_list_text(const JsonObject& metadata, const Form& form);

// Converts a response that is JSON so far, a Status or the answer to a write, to the requested
// form, if it has one. (Writes know no tables, although kubectl asks for them.)
void to_form(const Form& form, Response& response);

}  // namespace dcm::apiserver
