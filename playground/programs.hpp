// Kubernetes' own programs next to the playground, as separate processes: kube-scheduler in place
// of the small scheduler, kube-controller-manager for workloads.
#pragma once

#include <string>
#include <vector>

#include "playground/part.hpp"
#include "runtime/error.hpp"

namespace dcm::playground {

// Paths of the programs. Empty: does not run.
struct Programs {
  std::string scheduler;
  std::string controller_manager;
};

// The newest programs built by `./dev`, or those in $KUBEBUILDER_ASSETS. Errors: configuration; the
// message says where they were searched.
runtime::Result<Programs> find_programs();

// One of them with its arguments, except the kubeconfig.
struct Program {
  std::string name;  // its log is NAME.log in the kubeconfig's folder
  std::vector<std::string> command;
};

std::vector<Program> to_run(const Programs& programs);

// Runs the program for the cluster of that kubeconfig. Ends by cancellation, which ends the process
// as well, or when the process ends: with an error that says so.
runtime::Task<runtime::Error> run_program(Process process, Program program, std::string kubeconfig);

}  // namespace dcm::playground
