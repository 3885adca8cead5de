// The services v1.DRAPlugin and v1beta1.DRAPlugin, implemented by a driver's calls.
#pragma once

#include <string>

#include "node/driver_kit/call_lock.hpp"
#include "node/driver_kit/claims/claim_files.hpp"
#include "node/driver_kit/driver.hpp"
#include "runtime/grpc/server.hpp"
#include "runtime/log.hpp"

namespace dcm::driver_kit {

// Loop thread only.
class DraService {
 public:
  // All references must outlive it.
  DraService(std::string name, Driver& driver, ClaimReader& claims, ClaimFiles& files,
             CallLock& lock, runtime::Logger log);

  // `methods` must not outlive it.
  void add_to(grpc::Methods& methods);

 private:
  using Claims = std::vector<node::ClaimRef>;
  using Deadline = runtime::Deadline;

  Task<grpc::Result<std::string>> prepare(std::string request, Deadline deadline);
  Task<grpc::Result<std::string>> unprepare(std::string request, Deadline deadline);
  // Answers for the claims that is_claim() refuses, and takes them out of `asked`.
  node::Answers refuse_strange(Claims& asked) const;
  // All claims, or an error: a claim that may not be prepared fails the call before anything is
  // done.
  Task<grpc::Result<std::vector<AllocatedClaim>>> look_up(const Claims& asked);
  // Prepares the claim, including its files.
  Task<Driver::Prepared> prepare_one(AllocatedClaim claim);
  Task<Driver::Unprepared> unprepare_one(node::ClaimRef claim);
  node::ClaimAnswer answer_of(const node::ClaimRef& claim, Driver::Prepared prepared) const;

  std::string name_;
  Driver& driver_;
  ClaimReader& claims_;
  ClaimFiles& files_;
  CallLock& lock_;
  runtime::Logger log_;
};

}  // namespace dcm::driver_kit
