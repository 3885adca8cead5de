// What kubelet and the node say about a pod that is theirs: why it does not start, or does not end.
#pragma once

#include "explain/evidence.hpp"

namespace dcm::manager {

// For pods of which is_kubelets() is true.
common::Topic explain_kubelet(const PodReport& pod, const Evidence& evidence,
                              runtime::WallTime now);

// Whether nothing but finalizers keeps a pod that is being deleted.
bool is_held_by_finalizers(const PodReport& pod);
common::Topic explain_finalizers(const PodReport& pod);

}  // namespace dcm::manager
