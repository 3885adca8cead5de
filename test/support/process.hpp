// A child process: started, checked, stopped, and never left behind.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace dcm::support {

class Process {
 public:
  struct Command {
    std::vector<std::string> arguments;              // the first one is the program
    std::map<std::string, std::string> environment;  // in addition to ours
    std::string output;                              // file for stdout and stderr; appended to
  };

  // Throws std::runtime_error if the program cannot be started.
  explicit Process(const Command& command);
  // Kills the process if it still runs.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  // The exit status, if the process has ended: 128 + the signal if one ended it.
  std::optional<int> exit_status();

  // Runs a command to its end; returns its exit status.
  static int run(const Command& command);

 private:
  pid_t pid_ = -1;
  std::optional<int> status_;
};

// Reserves a TCP port of 127.0.0.1 until this process ends. The kernel gives it to no program that
// asks for port 0. Programs that ask for it by number and set SO_REUSEADDR can listen on it, any
// number of times. Throws std::runtime_error.
int free_port();

}  // namespace dcm::support
