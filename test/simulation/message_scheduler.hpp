// Decides when a message is delivered, and whether it arrives: for the exploration, which tries
// every order.
#pragma once

#include <string>

#include "runtime/task.hpp"

namespace dcm::simulation {

class MessageScheduler {
 public:
  enum class Message {
    write,   // of a manager, on its way to the server
    answer,  // to such a write
    news     // a watch event
  };
  enum class Fate { arrives, is_lost, comes_twice };

  // Returns when the message's turn has come. Only a write may be duplicated; events are never
  // lost.
  virtual runtime::Task<Fate> carry(Message message, std::string what) = 0;

 protected:
  ~MessageScheduler() = default;
};

}  // namespace dcm::simulation
