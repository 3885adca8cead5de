// The agent of node/ without pods of its own: the counterpart of peers/reference, which runs the
// managers of kubelet. It carries out the lines on standard input, and answers each with one line;
// peers/reference/main.go describes these lines.
//
//   node_subject STATE REGISTRY CLAIMS
//
// Its API server is a folder: claims are NAMESPACE.NAME.json in it. What it deletes there is
// reported on standard error.
#include <cstdio>
#include <fstream>
#include <iterator>

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "controllers/api/decoders.hpp"
#include "node/agent/agent.hpp"
#include "node/plugins/messages.hpp"
#include "node/posix_files.hpp"
#include "runtime/grpc/channel.hpp"
#include "runtime/http/unix.hpp"
#include "runtime/memory.hpp"
#include "runtime/task_group.hpp"

namespace dcm::node {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using runtime::Result;
using runtime::Task;

std::string text_of(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->as_string()) : std::string();
}

class FolderApi final : public NodeApi {
 public:
  explicit FolderApi(std::string folder) : folder_(std::move(folder)) {}

  Task<Result<>> delete_slices(std::string field_selector) override {
    std::fputs(fmt::format("wiped: {}\n", field_selector).c_str(), stderr);
    co_return Result<>();
  }

  Task<Result<ClaimView>> get(api::NamespacedName key) override {
    std::ifstream file(fmt::format("{}/{}.{}.json", folder_, key.namespace_, key.name));
    if (!file) {
      co_return runtime::fail(
          runtime::Reason::object_not_found,
          fmt::format("resourceclaims.resource.k8s.io \"{}\" not found", key.name));
    }
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    auto decoded = decoder_->decode_object(content);
    if (!decoded) co_return runtime::fail(decoded.error());
    co_return ClaimView{.claim = decoded->object, .results = allocation_results(content)};
  }

 private:
  std::string folder_;
  std::unique_ptr<api::Decoder<api::ResourceClaim>> decoder_ = api::make_json_claim_decoder("v1");
};

std::vector<ContainerClaim> claims_of_container(const api::Pod& pod, const json::object& order) {
  std::vector<ContainerClaim> claims;
  const std::string name = text_of(order, "container");
  const auto wanted = claims_to_look_up(pod);
  const json::array& names =
      order.at("pod").as_object().at("spec").as_object().at("resourceClaims").as_array();
  for (const json::value& each :
       order.at("pod").as_object().at("spec").as_object().at("containers").as_array()) {
    if (text_of(each.as_object(), "name") != name) continue;
    for (const json::value& use :
         each.as_object().at("resources").as_object().at("claims").as_array()) {
      for (std::size_t i = 0; wanted && i < names.size() && i < wanted->size(); ++i) {
        if (text_of(names[i].as_object(), "name") != text_of(use.as_object(), "name")) continue;
        claims.push_back({{pod.meta.key.namespace_.str(), (*wanted)[i].name},
                          text_of(use.as_object(), "request")});
      }
    }
  }
  return claims;
}

class Subject {
 public:
  Subject(runtime::Loop& loop, const std::string& state, const std::string& registry,
          const std::string& claims)
      : loop_(loop),
        transport_(http::make_unix_transport(loop.executor(), loop.time())),
        log_(std::make_shared<runtime::LogBackend>(loop.time(), runtime::LogFormat::text,
                                                   runtime::write_to_stderr())),
        api_(claims),
        rng_(static_cast<std::uint64_t>(::getpid())),
        agent_(loop, *transport_, files_, api_, rng_, metrics_, log_,
               {.node = "node-0", .state = state, .registry = registry}, {}),
        group_(loop.executor()) {}

  // Runs until standard input ends.
  Task<int> run() {
    if (const auto opened = agent_.open(); !opened) {
      std::fputs(fmt::format("node_subject: {}\n", to_string(opened.error())).c_str(), stderr);
      co_return 1;
    }
    group_.spawn("agent", agent_.run());
    asio::posix::stream_descriptor input(loop_.executor(), ::dup(STDIN_FILENO));
    std::string buffer;
    while (true) {
      boost::system::error_code error;
      const std::size_t size =
          co_await asio::async_read_until(input, asio::dynamic_buffer(buffer), '\n',
                                          asio::redirect_error(asio::use_awaitable, error));
      if (error) break;
      group_.spawn("order", obey(json::parse(buffer.substr(0, size)).as_object()));
      buffer.erase(0, size);
    }
    group_.cancel();
    co_await group_.join();
    co_return 0;
  }

 private:
  Task<> obey(json::object order) {
    json::object answer;
    co_await fulfil(order, answer);
    answer["id"] = order.at("id");
    std::puts(json::serialize(answer).c_str());
    std::fflush(stdout);
  }

  Task<> fulfil(const json::object& order, json::object& answer) {
    const std::string what = text_of(order, "do");
    const auto tell = [&](const ClaimResult& result) {
      if (!result) answer["error"] = result.error();
    };
    if (what == "prepare") tell(co_await agent_.prepare(pod_of(order)));
    if (what == "unprepare") tell(co_await agent_.unprepare(pod_of(order)));
    if (what == "active") observe(order);
    if (what == "registered") answer["sockets"] = registered(order);
    if (what == "resources") show_devices(order, answer);
    if (what == "health") show_health(order, answer);
    if (what == "round_trips") co_await measure(order, answer);
  }

  // Measures how long calls over a socket take, one after the other.
  Task<> measure(const json::object& order, json::object& answer) {
    const auto channel =
        grpc::make_channel(loop_, *transport_, runtime::Rng(1),
                           {.endpoint = {http::Security::plain, text_of(order, "socket"), 0}});
    runtime::TaskGroup group(loop_.executor());
    group.spawn("channel", channel->run());
    const std::int64_t count = order.at("count").as_int64();
    const auto deadline = runtime::Deadline::after(loop_.time(), std::chrono::minutes(1));
    bool is_good = co_await channel->wait_until_connected(deadline);
    const runtime::MonoTime began = loop_.time().now();
    for (std::int64_t i = 0; i < count && is_good; ++i) {
      const auto info =
          co_await channel->call("/pluginregistration.Registration/GetInfo", "", deadline);
      is_good = info && decode_plugin_info(*info);
    }
    const std::chrono::duration<double, std::micro> took = loop_.time().now() - began;
    if (!is_good) answer["error"] = "GetInfo failed";
    answer["microseconds"] = took.count() / static_cast<double>(count);
    group.cancel();
    co_await group.join();
  }

  api::ObjectPtr<api::Pod> pod_of(const json::object& order) const {
    const auto decoded = decoder_->decode_object(json::serialize(order.at("pod")));
    if (!decoded) throw std::runtime_error(to_string(decoded.error()));
    return decoded->object;
  }

  void observe(const json::object& order) {
    std::set<std::string> uids;
    for (const json::value& uid : order.at("uids").as_array()) uids.emplace(uid.as_string());
    agent_.observe_pods(std::move(uids));
  }

  json::array registered(const json::object& order) const {
    json::array sockets;
    for (const json::value& driver : order.at("drivers").as_array()) {
      const std::string name(driver.as_string());
      if (agent_.is_registered(name)) sockets.emplace_back(name + "-reg.sock");
    }
    return sockets;
  }

  void show_devices(const json::object& order, json::object& answer) const {
    const auto ids = cdi_devices_of(agent_.book(), claims_of_container(*pod_of(order), order));
    if (!ids) {
      answer["error"] = ids.error();
      return;
    }
    answer["cdi"] = json::array(ids->begin(), ids->end());
  }

  void show_health(const json::object& order, json::object& answer) const {
    json::array rows;
    for (const ContainerClaim& claim : claims_of_container(*pod_of(order), order)) {
      for (const auto& [id, state] : agent_.health_of(claim)) {
        rows.emplace_back(fmt::format("{} {} {}", id, to_string(state.health), state.message));
      }
    }
    answer["health"] = std::move(rows);
  }

  runtime::Loop& loop_;
  std::unique_ptr<http::Transport> transport_;
  runtime::Logger log_;
  runtime::MetricsRegistry metrics_;
  FolderApi api_;
  PosixFiles files_;
  runtime::Rng rng_;
  Agent agent_;
  std::unique_ptr<api::Decoder<api::Pod>> decoder_ =
      api::make_json_pod_decoder(api::PodSelection::all);
  runtime::TaskGroup group_;
};

}  // namespace
}  // namespace dcm::node

int main(int count, char** arguments) {
  if (count != 4) {
    std::fputs("usage: node_subject STATE REGISTRY CLAIMS\n", stderr);
    return 2;
  }
  int status = 1;
  dcm::runtime::return_large_memory_at_once();  // as dra-hollow-node
  dcm::runtime::Loop loop;
  const auto run = [&]() -> dcm::runtime::Task<> {
    dcm::node::Subject subject(loop, arguments[1], arguments[2], arguments[3]);
    status = co_await subject.run();
  };
  loop.run(run());
  return status;
}
