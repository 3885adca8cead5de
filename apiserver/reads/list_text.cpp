#include "apiserver/reads/list_text.hpp"

namespace dcm::apiserver {

namespace {

// A compromise: few writes, and about a millisecond each.
constexpr std::size_t kPartBytes = 64 * 1024;

}  // namespace

std::string whole(const ListText& text, const std::vector<Stored>& objects) {
  std::string items;
  for (const Stored& object : objects) {
    if (!items.empty()) items += text.between;
    items += text.item(object);
  }
  std::string all = text.head(items.size());
  all += items;
  return all += text.tail;
}

std::optional<std::string> ListParts::next() {
  const bool waits = text_.head_is_made == ListText::HeadIsMade::last;
  switch (at_) {
    case At::head:
      if (waits && encoded_ < objects_.size()) {
        kept_.push_back(next_items());
        return "";
      }
      at_ = At::items;
      return text_.head(bytes_);
    case At::items:
      if (told_ < kept_.size()) return std::move(kept_[told_++]);
      if (encoded_ < objects_.size()) return next_items();
      at_ = At::tail;
      [[fallthrough]];
    case At::tail:
      at_ = At::end;
      return std::string(text_.tail) + end_;
    case At::end:
      break;
  }
  return std::nullopt;
}

std::string ListParts::next_items() {
  std::string items;
  items.reserve(kPartBytes + kPartBytes / 4);
  while (encoded_ < objects_.size() && items.size() < kPartBytes) {
    if (encoded_ > 0) items += text_.between;
    items += text_.item(objects_[encoded_]);
    objects_[encoded_++].reset();  // so that the last holder does not free them all at once
  }
  bytes_ += items.size();
  return items;
}

}  // namespace dcm::apiserver
