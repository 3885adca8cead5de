// The values that a feed's or index's function may return: one, none or several.
#pragma once

#include <concepts>
#include <optional>
#include <vector>

namespace dcm::manager {

template <class Result, class Item>
concept SomeOf = std::convertible_to<Result, Item> || std::same_as<Result, std::optional<Item>> ||
                 std::same_as<Result, std::vector<Item>>;

template <class Item, class Visit>
void for_each_of(const std::optional<Item>& some, const Visit& visit) {
  if (some) visit(*some);
}
template <class Item, class Visit>
void for_each_of(const std::vector<Item>& some, const Visit& visit) {
  for (const Item& item : some) visit(item);
}
template <class Item, class Visit>
void for_each_of(const Item& item, const Visit& visit) {
  visit(item);
}

}  // namespace dcm::manager
