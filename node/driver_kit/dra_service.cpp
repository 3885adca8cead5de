#include "node/driver_kit/dra_service.hpp"

#include <utility>

#include <fmt/format.h>

#include "node/driver_kit/messages.hpp"
#include "node/plugins/services.hpp"

namespace dcm::driver_kit {
namespace {

std::unexpected<grpc::Status> no_claims() {
  return grpc::fail(grpc::Code::internal, "the request is not a list of claims");
}

// Nodes know requests without their subrequests ("gpu/large").
std::string_view base_of(std::string_view request) {
  return request.substr(0, request.find('/'));
}

}  // namespace

DraService::DraService(std::string name, Driver& driver, ClaimReader& claims, ClaimFiles& files,
                       CallLock& lock, runtime::Logger log)
    : name_(std::move(name)),
      driver_(driver),
      claims_(claims),
      files_(files),
      lock_(lock),
      log_(std::move(log)) {}

void DraService::add_to(grpc::Methods& methods) {
  // The messages of v1beta1 lack the share ID and are otherwise identical; its nodes skip that
  // field.
  for (const auto version : {node::DraVersion::v1, node::DraVersion::v1beta1}) {
    methods.unary[node::method_path(version, "NodePrepareResources")] = [this](std::string request,
                                                                               Deadline deadline) {
      return prepare(std::move(request), deadline);
    };
    methods.unary[node::method_path(version, "NodeUnprepareResources")] =
        [this](std::string request, Deadline deadline) {
          return unprepare(std::move(request), deadline);
        };
  }
}

Task<grpc::Result<std::string>> DraService::prepare(std::string request, Deadline deadline) {
  auto asked = decode_claims(request);
  if (!asked) co_return no_claims();
  node::Answers answers = refuse_strange(*asked);
  grpc::Result<std::vector<AllocatedClaim>> claims = co_await look_up(*asked);
  if (!claims) co_return std::unexpected(claims.error());
  const auto turn = co_await lock_.take(deadline);
  if (!turn) co_return grpc::fail(grpc::Code::unavailable, turn.error().message);
  for (AllocatedClaim& claim : *claims) {
    const node::ClaimRef ref = claim.ref;
    auto prepared = co_await prepare_one(std::move(claim));
    answers[ref.uid] = answer_of(ref, std::move(prepared));
  }
  co_return encode_prepared(answers);
}

Task<grpc::Result<std::string>> DraService::unprepare(std::string request, Deadline deadline) {
  auto asked = decode_claims(request);
  if (!asked) co_return no_claims();
  node::Answers answers = refuse_strange(*asked);
  const auto turn = co_await lock_.take(deadline);
  if (!turn) co_return grpc::fail(grpc::Code::unavailable, turn.error().message);
  for (const node::ClaimRef& claim : *asked) {
    const Driver::Unprepared done = co_await unprepare_one(claim);
    answers[claim.uid] = answer_of(
        claim, done ? Driver::Prepared() : Driver::Prepared(std::unexpected(done.error())));
  }
  co_return encode_unprepared(answers);
}

node::Answers DraService::refuse_strange(Claims& asked) const {
  node::Answers answers;
  std::erase_if(asked, [&](const node::ClaimRef& claim) {
    if (is_claim(claim)) return false;
    answers[claim.uid] =
        answer_of(claim, std::unexpected("no claim can have its namespace, name and UID"));
    return true;
  });
  return answers;
}

Task<grpc::Result<std::vector<AllocatedClaim>>> DraService::look_up(const Claims& asked) {
  std::vector<AllocatedClaim> found;
  for (const node::ClaimRef& each : asked) {
    runtime::Result<std::string> json = co_await claims_.get({each.namespace_, each.name});
    if (!json) {
      co_return grpc::fail(grpc::Code::unknown,
                           fmt::format("retrieve claim {}/{}: {}", each.namespace_, each.name,
                                       node::cut_message(json.error().message)));
    }
    auto claim = read_claim(each, name_, *std::move(json));
    if (!claim) co_return grpc::fail(grpc::Code::unknown, claim.error());
    found.push_back(*std::move(claim));
  }
  co_return found;
}

Task<Driver::Prepared> DraService::prepare_one(AllocatedClaim claim) {
  // From here on the kit remembers the claim, even if the process dies.
  if (const auto begun = files_.begin(claim); !begun) {
    co_return std::unexpected(begun.error().message);
  }
  Driver::Prepared prepared = co_await driver_.prepare(claim);
  if (!prepared) co_return prepared;
  for (PreparedDevice& device : prepared->devices) {
    for (std::string& request : device.requests) request.resize(base_of(request).size());
  }
  if (const auto written = files_.write(claim, *prepared); !written) {
    co_return std::unexpected(written.error().message);
  }
  co_return prepared;
}

Task<Driver::Unprepared> DraService::unprepare_one(node::ClaimRef claim) {
  Driver::Unprepared done = co_await driver_.unprepare(claim);
  if (!done) co_return done;
  if (const auto removed = files_.remove(claim); !removed) {
    co_return std::unexpected(removed.error().message);
  }
  co_return done;
}

node::ClaimAnswer DraService::answer_of(const node::ClaimRef& claim,
                                        Driver::Prepared prepared) const {
  if (prepared) {
    node::ClaimAnswer answer;
    for (PreparedDevice& each : prepared->devices) {
      answer.devices.push_back({.pool = std::move(each.pool),
                                .device = std::move(each.device),
                                .share_id = std::move(each.share_id),
                                .requests = std::move(each.requests),
                                .cdi_ids = std::move(each.cdi_ids)});
    }
    return answer;
  }
  log_.warning("Refused a claim",
               {{"claim", claim.namespace_ + "/" + claim.name}, {"error", prepared.error()}});
  // An empty error would mean success.
  return {.error = prepared.error().empty() ? "the driver does not say why" : prepared.error(),
          .devices = {}};
}

}  // namespace dcm::driver_kit
