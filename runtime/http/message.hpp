// HTTP requests and responses as plain values (RFC 9110); no I/O, no Beast.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dcm::http {

enum class Method : std::uint8_t { get, head, post, put, patch, delete_ };

// "GET"
std::string_view to_string(Method method);
std::optional<Method> method_from(std::string_view name);

// Compares texts without case, as for names of header fields.
bool equals_without_case(std::string_view a, std::string_view b);

// Header fields in order; names compare without case. There are few, so a vector is enough.
class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<std::pair<std::string, std::string>> fields) : fields_(fields) {}

  // The first field of that name; nullopt if none.
  std::optional<std::string_view> find(std::string_view name) const;
  void add(std::string name, std::string value);
  // Replaces every field of that name.
  void set(std::string_view name, std::string value);

  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }
  std::size_t size() const { return fields_.size(); }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

// The identity in a client's verified certificate (RFC 5280, subject).
struct ClientCertificate {
  std::string common_name;
  std::vector<std::string> organizations;
};

struct Request {
  Method method = Method::get;
  std::string target = {};  // path and query, encoded
  Headers headers = {};     // Host, Content-Length and Connection are added when it is sent
  std::string body = {};
  // Whether a second execution changes nothing more (RFC 9110, 9.2.2). A POST is never idempotent.
  bool is_idempotent = true;
  // For a request received by a server: the certificate of its connection; null if none.
  std::shared_ptr<const ClientCertificate> client_certificate = {};
};

// How many interim answers (1xx) a server may send to one request. More are a flood.
inline constexpr unsigned kInterimAnswersMax = 8;

struct Response {
  std::uint16_t status = 0;
  Headers headers = {};
  std::string body = {};
  // For a large answer received by a client: others wait until it is destroyed (AnswerMemory).
  std::shared_ptr<const void> turn = {};
};

// An answer that browsers take for nothing but its type, and one in plain text.
Response typed_response(std::uint16_t status, std::string_view content_type, std::string body);
Response text_response(std::uint16_t status, std::string body);

}  // namespace dcm::http
