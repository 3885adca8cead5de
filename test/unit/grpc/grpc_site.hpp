// A gRPC server and a channel to it, over pipes and on virtual time.
#pragma once

#include <memory>
#include <string>

#include "runtime/grpc/channel.hpp"
#include "runtime/grpc/server.hpp"
#include "runtime/http/pipe.hpp"
#include "runtime/task_group.hpp"
#include "test/support/co_test.hpp"

namespace dcm::grpc {

using namespace std::chrono_literals;
using runtime::TaskGroup;
using runtime::VirtualLoop;

inline const http::Endpoint kPlugin{http::Security::plain, "plugin", 1};

struct GrpcSite {
  explicit GrpcSite(VirtualLoop& loop, ChannelOptions options = {.endpoint = kPlugin})
      : loop(loop),
        network(loop.time()),
        channel(make_channel(loop, network, runtime::Rng(1), std::move(options))),
        group(loop.executor()),
        server_group(std::make_unique<TaskGroup>(loop.executor())) {
    methods.unary["/test.Echo/Same"] =
        [](std::string request, Deadline) -> Task<Result<std::string>> { co_return request; };
    methods.unary["/test.Echo/Refuse"] = [](std::string request,
                                            Deadline) -> Task<Result<std::string>> {
      co_return fail(Code::failed_precondition, "100% ü\n" + request);
    };
    methods.unary["/test.Echo/Hang"] = [this](std::string,
                                              Deadline deadline) -> Task<Result<std::string>> {
      ++hanging;
      deadline_told = deadline;
      struct Leave {
        int& count;
        ~Leave() { --count; }
      } const leave{hanging};
      co_await runtime::sleep_for(this->loop.time(), 24h);
      co_return "";
    };
    methods.streams["/test.Echo/Count"] = [this](std::string request, AnswerWriter& answers,
                                                 Deadline) -> Task<Status> {
      for (int i = 0; i < std::stoi(request); ++i) {
        const std::string message =
            message_size == 0 ? std::to_string(i) : std::string(message_size, 'x');
        const Result<void> written = co_await answers.write(message);
        if (!written) co_return written.error();
        ++written_messages;
      }
      co_return Status{Code::aborted, "counted"};
    };
  }

  void start_server() {
    listener = network.listen("plugin", 1);
    server_group->spawn("serve", serve(loop, *listener, methods, server_options, {}));
  }
  void start_channel() { group.spawn("channel", channel->run()); }
  void start() {
    start_server();
    start_channel();
  }
  Task<> stop_server() {
    server_group->cancel();
    co_await server_group->join();
    server_group = std::make_unique<TaskGroup>(loop.executor());
    listener.reset();
  }
  Task<> stop() {
    group.cancel();
    co_await group.join();
    co_await stop_server();
  }
  Deadline in(runtime::Duration duration) const { return Deadline::after(loop.time(), duration); }

  VirtualLoop& loop;
  http::PipeNetwork network;
  Methods methods;
  ServerOptions server_options;
  std::unique_ptr<http::Listener> listener;
  std::unique_ptr<Channel> channel;
  int hanging = 0;
  int written_messages = 0;
  std::size_t message_size = 0;
  Deadline deadline_told;
  TaskGroup group;
  std::unique_ptr<TaskGroup> server_group;
};

inline std::string describe(const Result<std::string>& answer) {
  return answer ? *answer : to_string(answer.error());
}

}  // namespace dcm::grpc
