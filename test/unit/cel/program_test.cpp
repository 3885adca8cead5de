#include "cel/program.hpp"

#include <gtest/gtest.h>

#include "cel/regex.hpp"
#include "cel/text.hpp"
#include "test/unit/cel/evaluation.hpp"

namespace dcm::cel {
namespace {

struct Row {
  std::string_view expression, outcome;
};

void expect(std::span<const Row> rows) {
  for (const Row& row : rows) EXPECT_EQ(outcome_of(row.expression), row.outcome) << row.expression;
}

constexpr Row kNumbers[] = {
    {"7 / 2", "= 3"},
    {"-7 / 2", "= -3"},
    {"-7 % 2", "= -1"},
    {"0x1F + 1", "= 32"},
    {"--3", "= 3"},
    {"-9223372036854775808", "= -9223372036854775808"},
    {"9223372036854775807 + 1", "error: integer overflow"},
    {"-(-9223372036854775808)", "error: integer overflow"},
    {"-9223372036854775808 / -1", "error: integer overflow"},
    {"1 / 0", "error: division by zero"},
    {"1u % 0u", "error: modulus by zero"},
    {"0u - 1u", "error: unsigned integer overflow"},
    {"1.0 / 0.0", "= +Inf"},
    {"double('nan') == double('nan')", "= false"},
    {"1 < 1.5 && 2u > 1 && 1.0 <= 1u", "= true"},
    {"dyn(1) == dyn(1.0) && dyn(1u) == dyn(1)", "= true"},
    {"dyn(9007199254740993) == dyn(9007199254740992.0)", "= true"},
    {"int(-1.9)", "= -1"},
    {"string(1e6)", "= 1e+06"},
    {"string(0.1)", "= 0.1"},
    {"double('0x1p-2') + double('-0X_f.8P+1')", "= -30.75"},
    {"double('1_0.2_5e1_0')", "= 1.025e+11"},
    {"double('0x1p-2000')", "= 0"},
};

// Written as Go would refuse them.
TEST(Program, refuses_malformed_number) {
  for (const std::string_view text : {"1_.0", "_1", "1__0", "1_", "1_e1", "0x1", "0x", "0xp1",
                                      "0x-1p1", "0x1p", "0x1p2000", "-nan", "0b1", "0x1_p1"})
    EXPECT_EQ(outcome_of("double('" + std::string(text) + "')"),
              "compile: program instantiation failed: type conversion error from 'string' to "
              "'double'")
        << text;
}

TEST(Program, computes_with_numbers) {
  expect(kNumbers);
}

constexpr Row kLogic[] = {
    {"1 / 0 == 1 || true", "= true"},
    {"true || 1 / 0 == 1", "= true"},
    {"1 / 0 == 1 && false", "= false"},
    {"1 / 0 == 1 || false", "error: division by zero"},
    {"dyn('x') && false", "= false"},
    {"dyn('x') && true", "error: no such overload"},
    {"true ? 1 : 1 / 0", "= 1"},
    {"[1, 2].exists(x, x / 0 == 1 || x == 2)", "= true"},
    {"[0, 1].exists_one(x, 1 / x == 1)", "error: division by zero"},
    {"!!true", "= true"},
};

TEST(Program, lets_a_decisive_side_win_over_errors) {
  expect(kLogic);
}

constexpr Row kCollections[] = {
    {"[1, 2] + [3]", "= [1, 2, 3]"},
    {"[1, 2, 3][1]", "= 2"},
    {"[1][1]", "error: index out of bounds: 1"},
    {"dyn([1])[0.0]", "= 1"},
    {"{'a': 1, 'a': 2}", "= {a: 2}"},
    {"{'a': 1}.b", "error: no such key: b"},
    {"has({'a': 1}.b)", "= false"},
    {"{1: 'x'}[dyn(1u)]", "= x"},
    {"'a' in {'a': 1} && 2 in [1, 2]", "= true"},
    {"[1, 2, 3].map(x, x > 1, x * 2)", "= [4, 6]"},
    {"[3, 1, 2].sortBy(x, -x)", "= [3, 2, 1]"},
    {"{'a': 1}.transformMap(k, v, v + 1)", "= {a: 2}"},
    {"[4, 5].transformList(i, v, i + v)", "= [4, 6]"},
    {"[1, 2].all(i, v, i < v)", "= true"},
    {"[[1], [2, [3]]].flatten().size()",
     "compile: compilation failed: ERROR: <input>:1:7: expected type 'list(int)' but found "
     "'list(dyn)'"},
    {"lists.range(3).reverse()", "= [2, 1, 0]"},
    {"[1, 1, 2].distinct()", "= [1, 2]"},
    {"[1, 2, 3].slice(2, 1)",
     "error: cannot slice(2, 1), start index must be less than or equal to end index"},
    {"sets.equivalent([1, 1, 2], [2, 1])", "= true"},
    {"cel.bind(x, [1, 2], x + x)", "= [1, 2, 1, 2]"},
    {"optional.none().orValue(3)", "= 3"},
    {"{'a': {'b': 1}}.?a.?b.value()", "= 1"},
    {"{'a': {'b': 1}}.?c.b.hasValue()", "= false"},
    {"[?optional.none(), 1]", "= [1]"},
    {"optional.none().value()", "error: optional.none() dereference"},
};

constexpr Row kEntries[] = {
    {"[,]", "= []"},
    {"{,}", "= {}"},
    {"[,1]",
     "compile: compilation failed: ERROR: <input>:1:3: Syntax error: mismatched input '1' "
     "expecting ']'"},
    {"google.protobuf.Int32Value{,} == google.protobuf.Int32Value{value: 0,}", "= true"},
    {"[1, ?optional.none(), 2,]", "= [1, 2]"},
    {"{1: 2, ?3: optional.of(4),}", "= {1: 2, 3: 4}"},
};

TEST(Program, accepts_optional_entries_and_trailing_comma) {
  expect(kEntries);
}

constexpr Row kTypes[] = {
    {"type(null)", "= null_type"},
    {"type(true)", "= bool"},
    {"type(1)", "= int"},
    {"type(1u)", "= uint"},
    {"type(1.0)", "= double"},
    {"type('')", "= string"},
    {"type(b'')", "= bytes"},
    {"type([])", "= list"},
    {"type({})", "= map"},
    {"type(int)", "= type"},
    {"type(timestamp(0))", "= google.protobuf.Timestamp"},
    {"type(duration('1s'))", "= google.protobuf.Duration"},
    {"type(optional.none())", "= optional_type"},
    {"string(dyn(1u)) + string(dyn(true))", "= 1true"},
    {"string(dyn([]))", "compile: program instantiation failed: no such overload: string(list)"},
};

TEST(Program, knows_the_type_of_each_kind_of_value) {
  expect(kTypes);
}

TEST(Program, builds_and_reads_lists_and_maps) {
  expect(kCollections);
}

constexpr Row kTexts[] = {
    {"'é'.size() + size(b'é')", "= 3"},
    {"'\\u00e9' == 'é' && r'\\d' == '\\\\d'", "= true"},
    {"'héllo'.substring(1, 3)", "= él"},
    {"'abc'.charAt(3)", "= "},
    {"'abc'.charAt(4)", "error: index out of range: 4"},
    {"'abcabc'.lastIndexOf('a', 2)", "= 0"},
    {"'aXbX'.replace('', '-')", "= -a-X-b-X-"},
    {"'a,b,c'.split(',', 2)", "= [a, b,c]"},
    {"'abc'.split('')", "= [a, b, c]"},
    {"' \\t a '.trim()", "= a"},
    {"'a1b22'.findAll('[0-9]+')", "= [1, 22]"},
    {"'%d %s %.2f %x %e'.format([3, 'a', 1234.5, 255, 1052.033])",
     "= 3 a 1,234.50 ff 1.052033×10⁰³"},
    {"'%s'.format([['a', 1.5]])", "= [\"a\", 1.500000]"},
    {"'%.257f|%.256f|%.300f'.format([0.0, 1.5, 1.0]) == '0.0|1.5|1.' + "
     "'00000000000000000000000000000000000000000000'",
     "= true"},
    {"'%.32768f %.65536f %.1f'.format([0.1, 123456.5, -0.01])", "= 0.1 123,456 -0.0"},
    {"'%f %e %s'.format([-0.0, -0.0, [-0.0]])", "= 0.000000 0.000000×10⁰⁰ [-0.000000]"},
    {"'%.14e%.13e%.6e'.format([1.5, -1.5, double('inf')])", "=  1.500000×10⁰⁰-1.500000×10⁰⁰     ∞"},
    {"'%.10000010f%.10000010d'.format([1.0, 1])", "= %!(NOVERB)1"},
    {"'%.d'.format([1])",
     "compile: compilation failed: ERROR: <input>:1:13: could not parse formatting clause: error "
     "while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "
     "\"\": invalid syntax"},
    {"('%.9223372036854775808' + 'd').format([1])",
     "error: could not parse formatting clause: error while parsing precision: error while "
     "converting precision to integer: strconv.Atoi: parsing \"9223372036854775808\": value out of "
     "range"},
    {"'%'.format([])",
     "compile: compilation failed: ERROR: <input>:1:11: unexpected end of string"},
    {"('%' + '').format([])", "error: index 0 out of range"},
    {"'%é'.format([1])",
     "compile: compilation failed: ERROR: <input>:1:12: could not parse formatting clause: "
     "unrecognized formatting clause \"Ã\""},
    {"('%s' + '').format([b'\\xff'])",
     "error: error during formatting: could not convert argument \"invalid UTF-8 in bytes, cannot "
     "convert to string\" to string"},
    {"'%d'.format(['x'])",
     "compile: compilation failed: ERROR: <input>:1:14: error during formatting: decimal clause "
     "can only be used on "
     "integers, was given string"},
    {"string(b'\\xff')",
     "compile: program instantiation failed: invalid UTF-8 in bytes, cannot convert to string"},
};

TEST(Program, counts_strings_in_code_points) {
  expect(kTexts);
}

// RE2 in C++ has other syntax than Go in places.
constexpr Row kPatterns[] = {
    {"'ab'.matches('^(?<first>a)(?P<then>b)$')", "= true"},
    {R"(r'\C'.matches(r'^\Q\C\E$'))", "= true"},
    {R"('aé'.matches(r'^\p{Letter}\pl$'))", "= true"},
    {R"('A1'.matches(r'^\p{uppercase letter}[\p{-Digit}_]$'))", "= true"},
    {R"('1'.matches(r'^\P{letter}\z') && '1'.matches(r'^\p{^L}$'))", "= true"},
    {R"('λ'.matches(r'^\p{GREEK}$') && !'l'.matches(r'\p{greek}'))", "= true"},
    {R"('aé'.matches(r'^\p{ascii}[\P{ASCII}b]$'))", "= true"},
    {R"('aB1'.matches(r'^\p{LC}[\p{Cased_Letter}]\P{Lc}$') && !'1'.matches(r'[\p{LC}]'))",
     "= true"},
    {R"('aˇ'.matches(r'^[^\P{LC}][\P{LC}]$') && !'ˇ'.matches(r'[^\P{LC}]'))", "= true"},
    {R"('\u0378a'.matches(r'^\p{Cn}\p{Assigned}$'))", "= true"},
    {R"('\u0378a'.matches(r'^[\p{Unassigned}_][^\p{Cn}]$'))", "= true"},
    {R"('\u0378a'.matches(r'^\P{Assigned}[\P{Cn}]$'))", "= true"},
    {R"('\u0378\u0001'.matches(r'^\pC\p{Other}$') && !'\u0378'.matches(r'[^\p{C}]'))", "= true"},
    {R"('a'.matches(r'^\PC$') && '\u0378'.matches('^[[:^ascii:]][[:ascii:]]?$'))", "= true"},
    {"'(?<a'.matches('^[(?<]{3}a')", "= true"},
    {"'P'.matches('[(?<]')", "= false"},
    {"'](?<'.matches('^[]][^]a][[:punct:](?<]{2}$')", "= true"},
};

TEST(Program, reads_patterns_as_go_does) {
  expect(kPatterns);
}

constexpr Row kTimes[] = {
    {"duration('1h30m').getMinutes()", "= 90"},
    {"string(duration('1.5s'))", "= 1.5s"},
    {"string(timestamp('2026-01-01T00:00:00.50Z'))", "= 2026-01-01T00:00:00.5Z"},
    {"timestamp('2026-01-01T00:00:00Z').getHours('+02:30')", "= 2"},
    {"timestamp('2026-07-01T00:00:00Z').getHours('America/New_York')", "= 20"},
    {"timestamp('2100-07-01T00:00:00Z').getHours('America/New_York')", "= 20"},
    {"string(timestamp('2024-01-01T00:00:00+05:30'))", "= 2024-01-01T00:00:00+05:30"},
    {"string(timestamp('2024-01-01T00:00:00.5-08:00') - duration('1h'))",
     "= 2023-12-31T23:00:00.5-08:00"},
    {"string(timestamp('2024-01-01T00:00:00+00:00'))", "= 2024-01-01T00:00:00Z"},
    {"string(timestamp('0001-01-01T00:00:00Z') + duration('0s'))", "= 0001-01-01T00:00:00Z"},
    {"'%s'.format([timestamp('2024-01-01T00:00:00+05:30')])", "= 2024-01-01T00:00:00+05:30"},
    {"timestamp('2024-01-01T00:00:00+05:30') == timestamp('2023-12-31T18:30:00Z')", "= true"},
    {"timestamp('2024-01-01T00:00:00+05:30').getHours()", "= 18"},
    {"timestamp('2024-01-01T5:00:00Z').getHours()", "= 5"},
    {"timestamp('2026-01-01T00:00:00Z').getHours('+05:60')", "= 6"},
    {"timestamp('2026-01-01T00:00:00Z').getHours('-01:-30')", "= 23"},
    {"timestamp('2026-01-01T00:00:00Z').getHours('Local')", "= 0"},
    {"timestamp('2026-01-01T00:00:00Z').getHours('+1:x')",
     "error: strconv.Atoi: parsing \"x\": invalid syntax"},
    {"timestamp('2026-01-01T00:00:00Z').getHours('Nowhere/Land')",
     "error: unknown time zone Nowhere/Land"},
    {"timestamp('2026-01-01T00:00:00Z').getHours('../../etc/passwd')",
     "error: unknown time zone ../../etc/passwd"},
    {"timestamp('9999-12-31T23:59:59Z') + duration('1s')", "error: timestamp overflow"},
    {"timestamp('2026-03-01T00:00:00Z') - timestamp('2026-02-28T00:00:00Z') == duration('24h')",
     "= true"},
    {"duration('1d')",
     "compile: compilation failed: ERROR: <input>:1:10: invalid duration argument"},
    {"timestamp('2026-02-30T00:00:00Z')",
     "compile: compilation failed: ERROR: <input>:1:11: invalid timestamp argument"},
};

TEST(Program, knows_calendars_and_time_zones) {
  expect(kTimes);
}

// A dot before a name means that no variable of a loop is meant.
constexpr Row kNames[] = {
    {".sets.contains([1], [1]) && [1].map(sets, .sets.contains([1], [1]))[0]", "= true"},
    {".size([1]) == 1 && .int == int", "= true"},
    {".a",
     "compile: compilation failed: ERROR: <input>:1:2: undeclared reference to '.a' (in "
     "container '')"},
    {".f(1)",
     "compile: compilation failed: ERROR: <input>:1:3: undeclared reference to '.f' (in "
     "container '')"},
    {"br'a",
     "compile: compilation failed: ERROR: <input>:1:3: Syntax error: token recognition "
     "error at: ''a'"},
    {R"('\x1é')",
     R"(compile: compilation failed: ERROR: <input>:1:1: Syntax error: token recognition error at: )"
     R"(''\x1é')"},
};

TEST(Program, looks_up_names_as_the_reference_does) {
  expect(kNames);
}

constexpr Row kRefused[] = {
    {"dyn(true) + 1", "error: no such overload: _+_"},
    {"dyn(1) + 1.0", "error: no such overload"},
    {"dyn('a') / 2", "error: no such overload"},
    {"size(dyn(1))", "error: no such overload: size"},
    {"dyn(1).startsWith('a')", "error: no such overload"},
    {"dyn(1).trim()", "error: no such overload: trim(int)"},
    {"'a'.replace(dyn(1), 'b')", "error: no such overload: replace(string, int, string)"},
    {"'a'.matches('[')",
     "compile: compilation failed: ERROR: <input>:1:13: invalid matches argument"},
    {"'a'.find('[')",
     "compile: program instantiation failed: error parsing regexp: missing closing ]: `[`"},
    {"'a'.find('(?=a)')",
     "compile: program instantiation failed: error parsing regexp: invalid or unsupported Perl "
     "syntax: `(?=`"},
    {R"('a'.find('a[b\\p{Letter}('))",
     R"(compile: program instantiation failed: error parsing regexp: missing closing ]: )"
     R"(`[b\p{Letter}(`)"},
    {R"('a'.find('[]A-\\p{ASCII}]'))",
     R"(compile: program instantiation failed: error parsing regexp: invalid escape sequence: `\p`)"},
    {R"('a'.find('\\p{a\\pL'))",
     R"(compile: program instantiation failed: error parsing regexp: invalid character class range: )"
     R"(`\p{a\pL`)"},
    {R"('a'.find('[z-a\\p{Foo}]'))",
     R"(compile: program instantiation failed: error parsing regexp: invalid character class range: )"
     R"(`z-a`)"},
    {R"('a'.find('(\\p{Cn}'))",
     R"(compile: program instantiation failed: error parsing regexp: missing closing ): `(\p{Cn}`)"},
    {R"('a'.find('\\C'))",
     R"(compile: program instantiation failed: error parsing regexp: invalid escape sequence: `\C`)"},
    {R"('a'.find('\\p{Old_Italic}'))",
     "compile: program instantiation failed: error parsing regexp: invalid character class range: "
     "`\\p{Old_Italic}`"},
    {"'a'.find('(?<ñ>a)')",
     "compile: program instantiation failed: error parsing regexp: invalid named capture: "
     "`(?<ñ>`"},
    {"'a'.find('(?<n')",
     "compile: program instantiation failed: error parsing regexp: invalid named capture: `(?<n`"},
    {"'a'.matches('a' + '\\\\')",
     "error: error parsing regexp: trailing backslash at end of expression: ``"},
    {"timestamp(9223372036854775807)",
     "compile: compilation failed: ERROR: <input>:1:11: invalid timestamp argument"},
    {"[1, 2][dyn([])]",
     "compile: program instantiation failed: invalid qualifier type: *types.baseList"},
    {"[1][dyn(18446744073709551615u)]",
     "error: unsupported index value 18446744073709551615 in list"},
    {"dyn(1).exists(x, true)", "error: got 'types.Int', expected iterable type"},
    {"dyn(1u).exists(i, x, true)", "error: unsupported comprehension range type: types.Uint"},
    {"[1][dyn(0.5)]", "error: unsupported index value 0.5 in list"},
    {"duration('2562047h') + duration('2562047h')", "error: integer overflow"},
    {"a",
     "compile: compilation failed: ERROR: <input>:1:1: undeclared reference to 'a' (in container "
     "'')"},
    {"1 + 1.0",
     "compile: compilation failed: ERROR: <input>:1:3: found no matching overload for '_+_' "
     "applied to '(int, double)'"},
    {"'a'.size(1)",
     "compile: compilation failed: ERROR: <input>:1:9: found no matching overload for 'size' "
     "applied to 'string.(int)'"},
    {"[1, 'a']",
     "compile: compilation failed: ERROR: <input>:1:5: expected type 'int' but found 'string'"},
    {"1.all(x, true)",
     "compile: compilation failed: ERROR: <input>:1:1: expression of type 'int' cannot be range of "
     "a comprehension "
     "(must be list, map, or dynamic)"},
    {"[1].all(x.y, true)",
     "compile: compilation failed: ERROR: <input>:1:10: argument must be a simple name"},
    {"has(1)", "compile: compilation failed: ERROR: <input>:1:5: invalid argument to has() macro"},
    {"[1].existsOne(x, x == 1)",
     "compile: compilation failed: ERROR: <input>:1:14: undeclared reference to 'existsOne' (in "
     "container '')"},
    {"'a'.matches('(')",
     "compile: compilation failed: ERROR: <input>:1:13: invalid matches argument"},
    {"int('x')",
     "compile: program instantiation failed: type conversion error from 'string' to 'int'"},
    {"if", "compile: compilation failed: ERROR: <input>:1:1: reserved identifier: if"},
    {"9223372036854775808", "compile: compilation failed: ERROR: <input>:1:1: invalid int literal"},
    {"'a",
     "compile: compilation failed: ERROR: <input>:1:1: Syntax error: token recognition error at: "
     "''a'"},
    {"1 +",
     "compile: compilation failed: ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' "
     "expecting {'[', '{', '(', "
     "'.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, "
     "IDENTIFIER}"},
};

TEST(Program, reports_place_of_error) {
  expect(kRefused);
}

TEST(Program, marks_place_below_line) {
  const Library library;
  const auto program = Program::compile("true &&\n é.x", library);
  ASSERT_FALSE(program);
  EXPECT_TRUE(program.error().starts_with("compilation failed: ERROR: <input>:2:2: Syntax error"))
      << program.error();
  EXPECT_TRUE(program.error().ends_with("\n |  é.x\n | .\uff3e")) << program.error();
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

TEST(Program, bounds_nesting) {
  EXPECT_EQ(outcome_of(repeated("(", 240) + "1" + repeated(")", 240)), "= 1");
  EXPECT_TRUE(outcome_of(repeated("(", 5'000) + "1" + repeated(")", 5'000))
                  .contains("recursion limit exceeded"));
  EXPECT_TRUE(outcome_of(repeated("[", 300)).contains("recursion limit exceeded"));
  EXPECT_TRUE(outcome_of("1" + repeated(" + 1", 5'000)).contains("max recursion depth exceeded"));
  EXPECT_EQ(outcome_of("true" + repeated(" && true", 1'000)), "= true");
  EXPECT_EQ(outcome_of(repeated("!", 10'000) + "true"), "= true");
}

TEST(Program, stops_at_the_cost_limit) {
  constexpr std::string_view kStopped = "error: operation cancelled: actual cost limit exceeded";
  EXPECT_EQ(outcome_of("lists.range(1000).all(a, lists.range(1000).all(b, a + b >= 0))"), kStopped);
  EXPECT_EQ(
      outcome_of("lists.range(1000).all(a, lists.range(1000).all(b, a + b >= 0)) || true", 100),
      kStopped);
  EXPECT_EQ(outcome_of("lists.range(100000).distinct().size()"), kStopped);
}

constexpr std::string_view kNoMemory = "error: operation cancelled: memory limit exceeded";

// v0 is the leaf, and each v1, v2, … holds the one before it twice.
std::string doubled(std::string_view leaf, std::size_t levels, std::string_view last,
                    std::string_view open = "[", std::string_view between = ", ",
                    std::string_view close = "]") {
  std::string text = "cel.bind(v0, " + std::string(leaf) + ", ";
  for (std::size_t i = 1; i <= levels; ++i) {
    const std::string before = "v" + std::to_string(i - 1);
    text += "cel.bind(v" + std::to_string(i) + ", dyn(" + std::string(open) + before +
            std::string(between) + before + std::string(close) + "), ";
  }
  return text + std::string(last) + repeated(")", levels + 1);
}

// A value that contains itself twice, forty times over, is small; walking through it is not.
TEST(Program, stops_work_that_no_cost_counts) {
  EXPECT_EQ(outcome_of(doubled("[1, 1]", 40, "v40 == v40")), kNoMemory);
  EXPECT_EQ(outcome_of(doubled("[]", 40, "v40.lastIndexOf([]) < 5")), kNoMemory);
  EXPECT_EQ(outcome_of(doubled("[0].filter(x, false)", 40, "v40.flatten(100) == []")), kNoMemory);
}

TEST(Program, bounds_formatted_text) {
  const std::string map = doubled("0", 22, "'%s'.format([v22]) == ''", "{1: ", ", 2: ", "}");
  EXPECT_EQ(outcome_of(map), kNoMemory);
  const std::string list = doubled("0", 22, "'%s'.format([v22]) == ''");
  EXPECT_EQ(outcome_of(list), kNoMemory);
  const std::string text =
      doubled("'0123456789'", 17,
              "'" + repeated("%s", 15) + "'.format([v17" + repeated(", v17", 14) + "]) == ''", "",
              " + ", "");
  EXPECT_EQ(outcome_of(text), "error: error during formatting: the text is too long");
}

// Every character is either assigned or not. RE2 lacks the class of those that are not.
TEST(Regex, knows_which_characters_are_assigned) {
  const auto assigned = Regex::compile("^\\p{Assigned}$");
  const auto unassigned = Regex::compile("^\\p{Cn}$");
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xd800 && c < 0xe000) continue;
    std::string text;
    append_code_point(text, c);
    ASSERT_NE(assigned->matches(text), unassigned->matches(text)) << static_cast<unsigned>(c);
  }
}

// Each error is dropped, and the next call starts over.
TEST(Program, bounds_repeated_formatting) {
  EXPECT_EQ(outcome_of(doubled("0", 18,
                               "lists.range(10000).exists(x, ('%s%Q' + '').format([v18]) == '')")),
            kNoMemory);
}

// Most of the time goes into compiling the patterns.
TEST(Program, bounds_patterns_that_are_not_constant) {
  for (const char* pattern :
       {R"('\\pL{500}' + '')", R"('\\pL{50}' + '')", R"('\\pL\\pL\\pL(' + '')",
        R"('\\pl\\p{Letter}\\p{ll}\\p{lu}\\p{lo}\\p{So}\\C' + '')",
        R"('[\\p{Cn}\\p{Cn}\\p{Cn}\\p{Cn}\\p{Cn}\\p{Cn}\\p{Cn}\\p{Cn}\\p{Cn}\\p{Cn}(' + '')"}) {
    EXPECT_EQ(outcome_of(std::string("lists.range(10000).all(a, !'x'.matches(") + pattern + "))"),
              kNoMemory)
        << pattern;
  }
}

TEST(Program, bounds_constant_patterns) {
  std::string expression = "true";
  for (int i = 0; i < 100; ++i)
    expression += R"( && 'x'.matches('\\pL{)" + std::to_string(i + 50) + "}')";
  EXPECT_EQ(outcome_of(expression),
            "compile: program instantiation failed: the patterns are too large");
}

TEST(Program, bounds_matches) {
  const std::string text = "cel.bind(t, lists.range(200).map(i, 'xyxxyxyyx').join(), ";
  for (const char* call : {"lists.range(10000).all(a, !t.matches('x[xy]{500}z'))",
                           "lists.range(10000).all(a, t.find('x[xy]{500}z') == '')",
                           "lists.range(10000).all(a, t.findAll('x').size() > 0)",
                           "lists.range(10000).all(a, t.findAll('x' + '').size() > 0)"}) {
    EXPECT_EQ(outcome_of(text + call + ")", ~std::uint64_t{0}), kNoMemory) << call;
  }
}

TEST(Program, matches_thousands_of_short_strings) {
  for (const char* pattern : {"'^gpu-[0-9]+$'", "'^gpu-' + '[0-9]+$'"}) {
    EXPECT_EQ(outcome_of(std::string("lists.range(10000).all(a, ('gpu-' + string(a)).matches(") +
                         pattern + "))"),
              "= true")
        << pattern;
  }
  EXPECT_EQ(outcome_of("lists.range(10000).all(a, 'a-b-c'.findAll('[a-z]').size() == 3)"),
            "= true");
}

// Thousands of schemas have rules, and each has a library.
TEST(Program, uses_what_the_base_of_its_library_has) {
  const Library base;
  Library library(&base);
  library.add_object("thing");
  library.set_field("thing", "size", &types::integer);
  library.add_variable("self", library.type("thing"));
  EXPECT_TRUE(Program::compile("self.size > 1 && 'a'.startsWith('a') && type(1) == int", library));
  EXPECT_FALSE(Program::compile("self.size > 1", base)) << "the base stays as it is";
  EXPECT_EQ(library.find_function("startsWith"), base.find_function("startsWith")) << "one table";
}

// Each map has twice the type of the one before: it is its key and its value.
TEST(Program, bounds_types) {
  const auto nested = [](int levels) {
    std::string text = "cel.bind(a0, {1: 1}, ";
    for (int i = 1; i <= levels; ++i) {
      const std::string before = "a" + std::to_string(i - 1);
      text += "cel.bind(a" + std::to_string(i) + ", {" + before + ": " + before + "}, ";
    }
    return text + "true" + std::string(static_cast<std::size_t>(levels) + 1, ')');
  };
  EXPECT_EQ(outcome_of(nested(8)), "= true");
  EXPECT_EQ(outcome_of(nested(60)),
            "compile: compilation failed: ERROR: <input>:1:1: the types are too complex");
}

TEST(Program, keeps_a_chain_of_optionals_linear) {
  EXPECT_EQ(outcome_of("optional.of(1)" + repeated(".optMap(x, x)", 16) + ".value()"), "= 1");
  EXPECT_NE(outcome_of("optional.of(1)" + repeated(".optMap(x, x)", 60) + ".value()"), "");
}

}  // namespace
}  // namespace dcm::cel
