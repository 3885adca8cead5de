// Asio's TCP and Unix sockets as our streams. Internal to the files that open them.
#pragma once

#include <memory>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "runtime/http/stream.hpp"

namespace dcm::http {

using Socket = boost::asio::generic::stream_protocol::socket;

std::unique_ptr<Stream> make_socket_stream(Socket socket, runtime::TimeSource& time);
// Sets the options of every connection: no delay of small writes, and keep-alive, which detects a
// lost peer within a minute even while nothing is written.
std::unique_ptr<Stream> make_tcp_stream(boost::asio::ip::tcp::socket socket,
                                        runtime::TimeSource& time);

// Connects within the deadline.
// Errors: unreachable, deadline_exceeded.
Task<Result<std::unique_ptr<Stream>>> connect_socket(
    runtime::Executor executor, boost::asio::generic::stream_protocol::endpoint endpoint,
    runtime::TimeSource& time, Deadline deadline);

// Ends the calling task if it was cancelled: an aborted operation alone does not show who aborted
// it.
Task<> throw_if_cancelled();

}  // namespace dcm::http
