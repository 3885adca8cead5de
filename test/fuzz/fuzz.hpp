// The interface of a fuzz target, and its assertions.
//
// A target is a source file that defines run(). In the preset `fuzz` libFuzzer calls it with
// generated inputs; in the others a plain main() (replay.cpp) calls it with the files of its
// corpus.
#pragma once

#include <string_view>
#include <vector>

namespace dcm::fuzz {

// Reads `input` in every way that the target supports. Must depend only on the input.
void run(std::string_view input);

// Ends the process with `what` and `detail`, unless the condition holds. Unlike assert(), it is
// active in every build.
void expect(bool holds, std::string_view what, std::string_view detail = {});

void expect_equal(std::string_view a, std::string_view b, std::string_view what);

// Expects a message for people: one line, not empty, without control characters.
void expect_readable(std::string_view message);

// The same bytes as a network may deliver them: in one piece, in pieces that depend only on the
// bytes (so that a finding can be replayed), and if they are few, one by one.
using Pieces = std::vector<std::string_view>;
std::vector<Pieces> ways_to_cut(std::string_view bytes);

// The first line, without its newline, and the rest.
struct FirstLine {
  std::string_view line;
  std::string_view rest;
};
FirstLine split_first_line(std::string_view text);

}  // namespace dcm::fuzz
