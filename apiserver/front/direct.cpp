#include "apiserver/front/direct.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dcm::apiserver {

Answer::Answer(Response response) : status(response.status), headers(std::move(response.headers)) {
  std::string problem;
  auto json = parse(response.body, problem);
  if (json && json->is_object()) body = std::move(json->get_object());
}

std::vector<std::string> Answer::header(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [key, value] : headers) {
    if (key == name) values.push_back(value);
  }
  return values;
}

std::vector<std::string> Answer::causes() const {
  std::vector<std::string> lines;
  for (const Json& cause : array_at(body, {"details", "causes"})) {
    lines.push_back(fmt::format("{}: {}", text_at(as_object(cause), {"field"}),
                                text_at(as_object(cause), {"message"})));
  }
  return lines;
}

bool Answer::blames(std::string_view field) const {
  return std::ranges::any_of(array_at(body, {"details", "causes"}), [&](const Json& cause) {
    return cause.is_object() && text_at(cause.get_object(), {"field"}) == field;
  });
}

Request Direct::request(std::string_view method, std::string_view target) const {
  const auto question = target.find('?');
  Request request{std::string(method), std::string(target.substr(0, question))};
  if (question != std::string_view::npos) request.query = target.substr(question + 1);
  request.headers.emplace_back("User-Agent", user_agent_);
  return request;
}

Response Direct::ask(std::string_view method, std::string_view target,
                     std::string_view content_type, std::string body) {
  Request sent = request(method, target);
  if (!content_type.empty()) sent.headers.emplace_back("Content-Type", content_type);
  sent.body = std::move(body);
  return server_.handle(sent);
}

std::expected<std::unique_ptr<Watch>, Response> Direct::watch(std::string_view target) {
  return server_.open_watch(request("GET", target));
}

}  // namespace dcm::apiserver
