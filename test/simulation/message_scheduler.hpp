// Decides when a message is delivered, and whether it arrives: for the exploration, which tries
// every order.
#pragma once

#include <string>

#include "runtime/http/message.hpp"
#include "runtime/task.hpp"

namespace dcm::simulation {

class MessageScheduler {
 public:
  enum class Message {
    request,  // on its way to the server
    answer,   // to such a request
    news      // a watch event
  };
  enum class Fate { arrives, is_lost, comes_twice };

  // The name of a request that waits for its turn, as does its answer; empty: both pass at once.
  virtual std::string name_of(const http::Request& request) const = 0;
  // Returns when the message's turn has come. Only a write may be duplicated; watch events are
  // never lost.
  virtual runtime::Task<Fate> carry(Message message, std::string what) = 0;

 protected:
  ~MessageScheduler() = default;
};

}  // namespace dcm::simulation
