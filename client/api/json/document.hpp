// A JSON document being read: its text with the padding that simdjson requires, and a parser.
//
// Both come from a free list, so that a watch event allocates nothing for them, and
// so that a document may be read during another one (in the sink of a list). Parsers that have
// grown for a large document are not reused. Loop thread only, like all decoding.
#pragma once

#include <memory>
#include <string_view>

#include "client/api/json/reader.hpp"

namespace dcm::api::json {

struct Workspace;

class Document {
 public:
  // Copies `json`.
  explicit Document(std::string_view json);
  ~Document();
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  // Reads the whole document, which must be one object and nothing else.
  template <class OnField>
  [[nodiscard]] bool each_field(OnField&& on_field);
  // Rewinds, to read it again. Earlier views become invalid.
  void rewind() { document_.rewind(); }

  Reader& reader() { return reader_; }

 private:
  bool open(ondemand::object& root);
  // Skipped values are not inspected, so only the end shows that nothing is missing.
  bool is_complete();

  std::unique_ptr<Workspace> workspace_;
  simdjson::error_code opened_;
  ondemand::document document_;
  Reader reader_;
};

template <class OnField>
bool Document::each_field(OnField&& on_field) {
  ondemand::object root;
  return open(root) && reader_.each_field_of(root, on_field) && is_complete();
}

}  // namespace dcm::api::json
