// JSON decoders for the playground's view of objects; allocation/ has the decoders of slices and
// device classes. Errors are as in client/api.
#pragma once

#include <memory>

#include "client/api/decoder.hpp"
#include "playground/objects/objects.hpp"

namespace dcm::playground {

std::unique_ptr<api::Decoder<Pod>> make_pod_decoder();
std::unique_ptr<api::Decoder<Claim>> make_claim_decoder();
std::unique_ptr<api::Decoder<Node>> make_node_decoder();
std::unique_ptr<api::Decoder<Namespace>> make_namespace_decoder();

}  // namespace dcm::playground
