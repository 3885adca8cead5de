#include "client/api/json/document.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace dcm::api::json {

struct Workspace {
  ondemand::parser parser;
  std::unique_ptr<char[]> text;
  std::size_t capacity = 0;  // of `text`, including the padding
};

namespace {

// A parser holds about six times its largest document.
constexpr std::size_t kKeptCapacityMax = std::size_t{256} * 1024;
constexpr std::size_t kCapacityMin = std::size_t{16} * 1024;
constexpr std::size_t kKeptMax = 4;

std::vector<std::unique_ptr<Workspace>>& spare_workspaces() {
  thread_local std::vector<std::unique_ptr<Workspace>> spare;
  return spare;
}

std::unique_ptr<Workspace> borrow() {
  auto& spare = spare_workspaces();
  if (spare.empty()) return std::make_unique<Workspace>();
  auto workspace = std::move(spare.back());
  spare.pop_back();
  return workspace;
}

void give_back(std::unique_ptr<Workspace> workspace) {
  auto& spare = spare_workspaces();
  if (workspace->capacity <= kKeptCapacityMax && spare.size() < kKeptMax) {
    spare.push_back(std::move(workspace));
  }
}

void copy_with_padding(std::string_view json, Workspace& workspace) {
  const std::size_t needed = json.size() + simdjson::SIMDJSON_PADDING;
  if (workspace.capacity < needed) {
    workspace.capacity = std::max(needed, kCapacityMin);
    workspace.text = std::make_unique_for_overwrite<char[]>(workspace.capacity);
  }
  std::copy(json.begin(), json.end(), workspace.text.get());
  std::memset(workspace.text.get() + json.size(), ' ', simdjson::SIMDJSON_PADDING);
}

}  // namespace

Document::Document(std::string_view json) : workspace_(borrow()) {
  copy_with_padding(json, *workspace_);
  opened_ = workspace_->parser.iterate(workspace_->text.get(), json.size(), workspace_->capacity)
                .get(document_);
}

Document::~Document() {
  give_back(std::move(workspace_));
}

bool Document::open(ondemand::object& root) {
  if (opened_ != simdjson::SUCCESS) return reader_.fail(opened_, "an object");
  const auto code = document_.get_object().get(root);
  return code == simdjson::SUCCESS || reader_.fail(code, "an object");
}

bool Document::is_complete() {
  const bool is_at_end = document_.current_location().error() == simdjson::OUT_OF_BOUNDS;
  return is_at_end || reader_.fail("something follows the end");
}

}  // namespace dcm::api::json
