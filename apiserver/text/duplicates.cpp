#include "apiserver/text/duplicates.hpp"

#include <set>
#include <utility>

#include <fmt/format.h>

namespace dcm::apiserver {

namespace {

// An object or array that is open at the scan's position.
struct Open {
  enum class Kind { object, array } kind;
  std::set<std::string_view> keys = {};
  std::string_view key = {};  // of the next member
  bool expects_key = true;    // of an object: the next string is a key
  std::size_t index = 0;      // of an array
};

class Scan {
 public:
  explicit Scan(std::string_view json) : json_(json) {}

  std::vector<std::string> run() {
    while (at_ < json_.size()) step(json_[at_]);
    return std::move(found_);
  }

 private:
  void step(char c) {
    if (c == '"') return string();
    ++at_;
    if (c == '{') open_.push_back({Open::Kind::object});
    if (c == '[') open_.push_back({Open::Kind::array});
    if (c == '}' || c == ']') open_.pop_back();
    if (c == ',' && !open_.empty()) {
      open_.back().expects_key = true;
      ++open_.back().index;
    }
  }

  void string() {
    const std::size_t begin = ++at_;
    while (json_[at_] != '"') at_ += json_[at_] == '\\' ? 2 : 1;
    const std::string_view text = json_.substr(begin, at_++ - begin);
    if (open_.empty() || open_.back().kind == Open::Kind::array) return;
    Open& object = open_.back();
    if (!std::exchange(object.expects_key, false)) return;
    object.key = text;
    const bool is_new = object.keys.insert(text).second;
    if (!is_new && found_.size() < kDuplicatesMax) found_.push_back(here());
  }

  // The path of the next value.
  std::string here() const {
    std::string path;
    for (const Open& around : open_) {
      if (around.kind == Open::Kind::array) {
        path += fmt::format("[{}]", around.index);
      } else {
        path.append(path.empty() ? "" : ".").append(around.key);
      }
    }
    return path;
  }

  std::string_view json_;
  std::size_t at_ = 0;
  std::vector<Open> open_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> duplicate_members(std::string_view json) {
  return Scan(json).run();
}

}  // namespace dcm::apiserver
