#include "test/simulation/watch_piece.hpp"

#include <charconv>

#include <protozero/pbf_reader.hpp>

namespace dcm::simulation {
namespace {

using protozero::pbf_reader;

// An object has only one version, wherever it appears.
apiserver::Revision revision_in(std::string_view text) {
  apiserver::Revision revision = 0;
  std::from_chars(text.data(), text.data() + text.size(), revision);
  return revision;
}

WatchPiece read_line(std::string_view rest) {
  constexpr std::string_view kVersion = R"("resourceVersion":")";
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end == rest.npos ? end : end + 1);
  const std::size_t at = line.find(kVersion);
  return {line, line.starts_with(R"({"type":"BOOKMARK")"),
          at == line.npos ? 0 : revision_in(line.substr(at + kVersion.size()))};
}

std::string_view view_of(const protozero::data_view& data) {
  return {data.data(), data.size()};
}

// The bytes of the first field with that number; empty if there is none.
std::string_view field(std::string_view message, std::uint32_t tag) {
  pbf_reader reader(message.data(), message.size());
  return reader.next(tag, protozero::pbf_wire_type::length_delimited) ? view_of(reader.get_view())
                                                                      : std::string_view();
}

// WatchEvent {type = 1, object = 2 {raw = 1}}; in `raw`, "k8s\0" and Unknown {raw = 2}; of the
// object there, metadata = 1 {resourceVersion = 6}.
WatchPiece read_frame(std::string_view rest) {
  constexpr std::size_t kLength = 4;
  constexpr std::size_t kMagic = 4;
  std::size_t size = 0;
  for (const char byte : rest.substr(0, kLength)) {
    size = size << 8U | static_cast<unsigned char>(byte);
  }
  const std::string_view event = rest.substr(kLength, size);
  const std::string_view object = field(field(event, 2), 1);
  const std::string_view metadata = field(field(object.substr(kMagic), 2), 1);
  return {rest.substr(0, kLength + size), field(event, 1) == "BOOKMARK",
          revision_in(field(metadata, 6))};
}

}  // namespace

std::vector<WatchPiece> events_of(std::string_view piece) {
  std::vector<WatchPiece> events;
  while (!piece.empty()) {
    events.push_back(piece.front() == '{' ? read_line(piece) : read_frame(piece));
    piece.remove_prefix(events.back().bytes.size());
  }
  return events;
}

}  // namespace dcm::simulation
