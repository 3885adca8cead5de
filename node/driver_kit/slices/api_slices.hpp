// The slices of one driver on one node, or of no node, on the API server.
#pragma once

#include <functional>
#include <string>

#include "client/request/rest_client.hpp"
#include "node/driver_kit/driver.hpp"
#include "node/driver_kit/slices/publisher.hpp"
#include "runtime/backoff.hpp"

namespace dcm::driver_kit {

// Loop thread only.
class ApiSlices final : public SliceApi {
 public:
  // A watch that ended is reopened after this long.
  static constexpr runtime::Backoff kPause{std::chrono::seconds(1), std::chrono::minutes(1)};

  // `time` and `rest` must outlive it. An empty `node`: the slices of no node.
  ApiSlices(runtime::TimeSource& time, client::RestClient& rest, const std::string& driver,
            std::string node);

  Task<runtime::Result<std::string>> node_uid() override;
  Task<runtime::Result<std::vector<Slice>>> list() override;
  Task<runtime::Result<Slice>> create(Slice slice) override;
  Task<runtime::Result<Slice>> update(Slice slice) override;
  Task<runtime::Result<>> remove(Slice slice) override;

  // Reports changes, and that some may have been missed. Ends only by cancellation.
  Task<> watch(std::function<void()> on_change);

 private:
  Task<runtime::Result<>> watch_once(const std::function<void()>& on_change);
  Task<runtime::Result<Slice>> call(client::ApiRequest request);

  runtime::TimeSource& time_;
  client::RestClient& rest_;
  std::string node_;
  std::string selector_;
  std::string version_;  // resourceVersion of the last list
};

// Claims from the API server.
class ApiClaims final : public ClaimReader {
 public:
  // `rest` must outlive it.
  explicit ApiClaims(client::RestClient& rest) : rest_(rest) {}
  Task<runtime::Result<std::string>> get(api::NamespacedName key) override;

 private:
  client::RestClient& rest_;
};

}  // namespace dcm::driver_kit
