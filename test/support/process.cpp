#include "test/support/process.hpp"

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dcm::support {
namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& more) {
  std::vector<std::string> result;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    if (!more.contains(text.substr(0, text.find('=')))) result.push_back(text);
  }
  for (const auto& [name, value] : more) result.push_back(name + "=" + value);
  return result;
}

int decode(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Process::Process(const Command& command) {
  std::vector<std::string> arguments = command.arguments;
  std::vector<std::string> environment = environment_with(command.environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  const std::string output = command.output.empty() ? "/dev/null" : command.output;
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0644);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  const int error = posix_spawnp(&pid_, arguments.at(0).c_str(), &actions, nullptr,
                                 pointers(arguments).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw std::runtime_error("cannot start " + command.arguments[0] + ": " + std::strerror(error));
  }
}

Process::~Process() {
  if (exit_status()) return;
  signal(SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
}

void Process::signal(int number) const {
  if (!status_) kill(pid_, number);
}

std::optional<int> Process::exit_status() {
  int status = 0;
  if (!status_ && waitpid(pid_, &status, WNOHANG) == pid_) status_ = decode(status);
  return status_;
}

int Process::run(const Command& command) {
  Process process(command);
  int status = 0;
  while (waitpid(process.pid_, &status, 0) < 0 && errno == EINTR) continue;
  process.status_ = decode(status);
  return *process.status_;
}

int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int reuse = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool is_known = socket >= 0 &&
                        ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse) == 0 &&
                        ::bind(socket, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                        ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  if (!is_known) throw std::runtime_error("no free port: " + std::string(std::strerror(errno)));
  return ntohs(address.sin_port);
}

}  // namespace dcm::support
