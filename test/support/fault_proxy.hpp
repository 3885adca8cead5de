// An HTTP-aware reverse proxy that injects faults on command: between a client and an API server,
// in its own process or in a test's.
//
// The proxy passes on watches (`watch=1` in the query) event by event, and everything else whole.
// It changes neither credentials nor bodies. fault_control.* drives it over HTTP.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/condition.hpp"
#include "runtime/http/client.hpp"
#include "runtime/http/server.hpp"
#include "runtime/log.hpp"
#include "test/support/fault_rules.hpp"
#include "test/support/watch_relay.hpp"

namespace dcm::support {

class FaultProxy {
 public:
  // `upstream` and `time` must outlive it. `path_prefix` precedes the target of each request.
  FaultProxy(runtime::TimeSource& time, http::Client& upstream, std::string path_prefix,
             runtime::Logger log);

  // Answers the client's requests. The proxy must outlive the server that calls it.
  http::Handler handler();

  // Throws std::regex_error.
  std::size_t add_rule(Rule rule) { return rules_.add(std::move(rule)); }
  // Held requests continue to the server.
  void clear_rules();
  struct RuleState {
    std::size_t matched = 0;  // matching requests, including skipped ones
    std::size_t held = 0;     // of these, those waiting for a release
  };
  RuleState state(std::size_t rule) const;
  // Requests held by a rule (now or later) continue as if nothing had happened, or are lost.
  enum class Release : std::uint8_t { pass, lose };
  void release(std::size_t rule, Release how);

  // Applies to each open watch whose target matches; returns their number. Throws std::regex_error.
  template <class Do>
  std::size_t each_watch(const std::string& target, Do act) {
    const std::regex pattern(target);
    std::size_t count = 0;
    for (WatchRelay& watch : watches_) {
      if (!std::regex_search(watch.target(), pattern)) continue;
      act(watch);
      ++count;
    }
    return count;
  }

  // Every request in order of arrival.
  struct Record {
    std::string method;
    std::string target;
    std::string body;
    std::uint16_t status = 0;  // the status sent to the client; 0: nothing (yet)
  };
  const std::vector<Record>& records() const { return records_; }

 private:
  struct Hold {
    std::size_t waiting = 0;
    std::optional<Release> released;
  };
  struct Visit;

  runtime::Task<> serve(http::Request request, http::Responder& responder);
  runtime::Task<> spoil(Visit& visit, const RuleSet::Entry& entry);
  runtime::Task<> pass(Visit& visit);
  runtime::Task<> pass_watch(Visit& visit, std::optional<std::size_t> cut_after);
  runtime::Task<> relay(Visit& visit, http::StreamingResponse& stream,
                        std::optional<std::size_t> cut_after);
  runtime::Task<http::Result<http::Response>> ask(Visit& visit);
  runtime::Task<> tell(Visit& visit, http::Response response);
  runtime::Task<> tell_cut(Visit& visit, http::Response response, std::size_t bytes);
  runtime::Task<Release> held(std::size_t rule);
  http::Request to_upstream(const http::Request& request) const;
  runtime::Deadline patience() const;

  runtime::TimeSource& time_;
  http::Client& upstream_;
  std::string path_prefix_;
  runtime::Logger log_;
  RuleSet rules_;
  std::map<std::size_t, Hold> holds_;
  runtime::Condition released_;
  std::list<WatchRelay> watches_;
  std::vector<Record> records_;
};

}  // namespace dcm::support
