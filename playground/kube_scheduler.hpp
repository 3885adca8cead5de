// kube-scheduler beside the playground, as a process of its own.
#pragma once

#include <string>

#include "playground/part.hpp"
#include "runtime/error.hpp"

namespace dcm::playground {

// Runs the program for the cluster of that kubeconfig; its log is kube-scheduler.log in the same
// folder. Ends by cancellation, which ends the process as well, or when the process ends: with an
// error that says so.
runtime::Task<runtime::Error> run_kube_scheduler(Process process, std::string program,
                                                 std::string kubeconfig);

}  // namespace dcm::playground
