#include "cel/kubernetes/quantity.hpp"

#include <gtest/gtest.h>

namespace dcm::cel {
namespace {

Quantity quantity(std::string_view text) {
  const auto parsed = Quantity::parse(text);
  EXPECT_TRUE(parsed) << text << ": " << parsed.error();
  return parsed.value_or(Quantity());
}

struct Row {
  std::string_view text, canonical;
};

constexpr Row kCanonical[] = {
    {"0", "0"},
    {"-", "0"},
    {"Gi", "0"},
    {"1", "1"},
    {"+5", "5"},
    {"-1500m", "-1500m"},
    {"1.5", "1500m"},
    {".5", "500m"},
    {"5.", "5"},
    {"1000", "1k"},
    {"1e3", "1e3"},
    {"1E3", "1e3"},
    {"15e2", "1500"},
    {"1000E", "1000E"},
    {"1e21", "1e21"},
    {"1024", "1024"},
    {"1024Ki", "1Mi"},
    {"1.5Gi", "1536Mi"},
    {"0.5Ki", "512"},
    {"1000Ki", "1000Ki"},
    {"16Ei", "9223372036854775807"},
    {"-16Ei", "-9223372036854775807"},
    {"0.0000000001", "1n"},
    {"-0.0000000001", "-1n"},
    {"1.0000000001", "1000000001n"},
    {"100m", "100m"},
    {"12345678901234567890123", "12345678901234567890123"},
};

TEST(Quantity, writes_the_largest_suffix_that_leaves_a_whole_number) {
  for (const Row& row : kCanonical) EXPECT_EQ(quantity(row.text).text(), row.canonical) << row.text;
}

TEST(Quantity, rejects_invalid_quantity) {
  for (const std::string_view text :
       {"", " 1", "1 k", "1K", "1gi", "1.2.3", "1e", "1e1x", "x", "e-12", "1Kii"})
    EXPECT_FALSE(Quantity::parse(text)) << text;
}

TEST(Quantity, rejects_more_than_38_digits) {
  EXPECT_FALSE(Quantity::parse(std::string(40, '9')));
  EXPECT_FALSE(Quantity::parse("1e99999999999"));
  EXPECT_TRUE(Quantity::parse(std::string(40, '0') + "1"));
  EXPECT_TRUE(Quantity::parse("0." + std::string(60, '3')));
}

TEST(Quantity, rejects_exponent_beyond_a_million) {
  for (const std::string_view text : {"1e1000001", "1e-1000001", "1e-2147483648", "1e2147483648"})
    EXPECT_FALSE(Quantity::parse(text)) << text;
  EXPECT_TRUE(Quantity::parse("1e1000000"));
  EXPECT_TRUE(Quantity::parse("1e-1000000"));
}

Quantity stored(std::string_view text) {
  const auto parsed = Quantity::parse_stored(text);
  EXPECT_TRUE(parsed) << text << ": " << parsed.error();
  return parsed.value_or(Quantity());
}

TEST(StoredQuantity, is_any_quantity_that_is_not_too_long) {
  for (const Row& row : kCanonical) EXPECT_EQ(stored(row.text).text(), row.canonical) << row.text;
  for (const std::string_view text : {"", " 1", "1K", "1e", "x", "e-12", "1e99999999999999999999"})
    EXPECT_FALSE(Quantity::parse_stored(text)) << text;
}

TEST(StoredQuantity, loses_digits_after_the_38th) {
  const std::string nines(38, '9');
  EXPECT_EQ(stored("1" + std::string(40, '0')), quantity("1e40"));
  EXPECT_EQ(stored(nines + "999"), quantity(nines + "e3"));
  EXPECT_EQ(stored("-" + nines + "999"), quantity("-" + nines + "e3"));
  EXPECT_EQ(stored(nines + "999k"), quantity(nines + "e6"));
  EXPECT_EQ(stored("0." + std::string(20, '0') + nines + "9e30"), quantity(nines + "e-28"));
  EXPECT_EQ(stored(nines + "." + nines), quantity(nines));
}

TEST(StoredQuantity, with_binary_suffix_ends_at_63_bits) {
  EXPECT_EQ(stored(std::string(40, '9') + "Ki").text(), "9223372036854775807");
  EXPECT_EQ(stored("-" + std::string(40, '9') + "Ei").text(), "-9223372036854775807");
  EXPECT_EQ(stored("0." + std::string(40, '5') + "Ki"), quantity("0.555555555555555Ki"));
  EXPECT_EQ(stored("9." + std::string(40, '9') + "Ei").text(), "9223372036854775807");
}

TEST(StoredQuantity, takes_exponents_beyond_a_million) {
  EXPECT_EQ(stored("1e1000002"), quantity("1e1000000"));
  EXPECT_EQ(stored("-1e2147483647"), quantity("-1e1000000"));
  EXPECT_EQ(stored("1e-2147483648"), quantity("1n"));
  EXPECT_EQ(stored("0e1000002"), quantity("0"));
  EXPECT_EQ(stored("1e4294967297"), quantity("1e1")) << "as in Go, which keeps 32 bits";
  EXPECT_GT(stored("1e1000002"), quantity("16Ei"));
  EXPECT_EQ(stored("1e1000002").as_integer(), std::nullopt);
}

TEST(Quantity, compares_by_value) {
  EXPECT_EQ(quantity("1k"), quantity("1000"));
  EXPECT_EQ(quantity("1Ki"), quantity("1024"));
  EXPECT_EQ(quantity("16Ei"), quantity("9223372036854775807"));
  EXPECT_EQ(quantity("0"), quantity("0e50"));
  EXPECT_LT(quantity("1k"), quantity("1Ki"));
  EXPECT_LT(quantity("-1"), quantity("1n"));
  EXPECT_LT(quantity("-1e300"), quantity("-1"));
  EXPECT_GT(quantity("1e300"), quantity("1e299"));
  EXPECT_GT(quantity("1500m"), quantity("1"));
}

TEST(Quantity, adds_and_subtracts_exactly) {
  EXPECT_EQ(quantity("1").add(quantity("500m"))->text(), "1500m");
  EXPECT_EQ(quantity("0").add(quantity("1Gi"))->text(), "1Gi");
  EXPECT_EQ(quantity("40Gi").sub(quantity("1Gi"))->text(), "39Gi");
  EXPECT_EQ(quantity("9223372036854775807").add(Quantity(1))->text(), "9223372036854775808");
  EXPECT_EQ(quantity("1").sub(quantity("2"))->text(), "-1");
  EXPECT_EQ(quantity("1").add(quantity("1e100")), std::nullopt);
}

TEST(Quantity, converts_only_whole_numbers_in_range_to_integers) {
  EXPECT_EQ(quantity("4Gi").as_integer(), std::int64_t{4} << 30);
  EXPECT_EQ(quantity("1000m").as_integer(), 1);
  EXPECT_EQ(quantity("1500m").as_integer(), std::nullopt);
  EXPECT_EQ(quantity("9223372036854775808").as_integer(), std::nullopt);
  EXPECT_EQ(quantity("1500m").as_milli(), 1500);
  EXPECT_EQ(quantity("1500u").as_milli(), std::nullopt);
  EXPECT_EQ(quantity("1500m").rounded_up(), 2);
  EXPECT_EQ(quantity("-1500m").rounded_up(), -2);
  EXPECT_EQ(quantity("1000m").as_short_integer(), std::nullopt);
  EXPECT_EQ(quantity("16Ei").as_short_integer(), std::nullopt);
  EXPECT_EQ(quantity("5k").as_short_integer(), 5000);
  EXPECT_EQ(quantity("1500m").as_approximate_float(), 1.5);
}

}  // namespace
}  // namespace dcm::cel
