// What kubelet and the node say about a pod on a node: why it does not start or end.
#pragma once

#include "explain/evidence.hpp"

namespace dcm::explain {

// For pods for which is_kubelets() is true.
common::Topic explain_kubelet(const PodReport& pod, const Evidence& evidence,
                              runtime::WallTime now);

// Whether only finalizers keep a pod in deletion.
bool is_held_by_finalizers(const PodReport& pod);
common::Topic explain_finalizers(const PodReport& pod);

}  // namespace dcm::explain
