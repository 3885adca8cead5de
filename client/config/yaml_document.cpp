#include "client/config/yaml_document.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>

#include <yaml-cpp/eventhandler.h>

namespace dcm::client {
namespace {

// Records whether and where a document starts, and counts its contents.
class DocumentProbe final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    start = mark;
    has_content = false;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { count(mark, anchor); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override { note(mark, anchor); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string&) override {
    note(mark, anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    note(mark, anchor);
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    note(mark, anchor);
  }
  void OnMapEnd() override {}

  YAML::Mark start = YAML::Mark::null_mark();
  bool has_content = false;

 private:
  void note(const YAML::Mark& mark, YAML::anchor_t anchor) {
    has_content = true;
    count(mark, anchor);
  }
  void count(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (++nodes_ > kYamlNodesMax) throw YAML::ParserException(mark, "too many values");
    if (anchor != 0 && ++anchors_ > kYamlAnchorsMax)
      throw YAML::ParserException(mark, "too many anchors and aliases");
  }

  std::size_t nodes_ = 0;
  std::size_t anchors_ = 0;
};

bool is_marker(std::string_view line, std::string_view marker) {
  return line.starts_with(marker) &&
         (line.size() == 3 || line[3] == ' ' || line[3] == '\t' || line[3] == '\r');
}

// Neither a comment, nor a directive, nor blank.
bool has_content(std::string_view line) {
  const auto first = line.find_first_not_of(" \t\r");
  return first != std::string_view::npos && line[first] != '#' && line[0] != '%';
}

}  // namespace

YAML::Node parse_first_document(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentProbe probe;
  parser.HandleNextDocument(probe);
  return YAML::Load(text);
}

// YAML::Load would silently drop the rest. YAML::LoadAll must not be used: at a stray bracket it
// creates empty documents without advancing, until memory is exhausted.
std::optional<int> line_of_rest(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentProbe probe;
  if (!parser.HandleNextDocument(probe)) return std::nullopt;
  for (int last = probe.start.pos; parser.HandleNextDocument(probe); last = probe.start.pos) {
    if (probe.has_content || probe.start.pos == last) return probe.start.line + 1;
  }
  return std::nullopt;
}

std::size_t end_of_first_document(std::string_view text) {
  bool has_begun = false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (is_marker(line, "...") || (has_begun && is_marker(line, "---"))) return begin;
    has_begun = has_begun || has_content(line);
    begin = end + 1;
  }
  return text.size();
}

}  // namespace dcm::client
