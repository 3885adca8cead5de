// A compiled expression: immutable, evaluated any number of times.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cel/library.hpp"

namespace dcm::cel {

struct Expr;

class Program {
 public:
  // What is wrong with the type of an expression's result, or nullopt.
  using CheckType = std::function<std::optional<std::string>(const Type&)>;

  // The library must outlive the program. The error is the complete text, with positions in the
  // source, or the answer of `check_type`.
  static std::expected<std::unique_ptr<const Program>, std::string> compile(
      std::string_view source, const Library& library, const CheckType& check_type = {});
  ~Program();

  // `frame.variables` has the values of the library's variables. An error is returned as a value of
  // Kind::error. The result and everything in it live as long as the frame's arena and the program.
  Value evaluate(Frame& frame) const;

  // The type of the result, as the checker found it.
  const Type& type() const;
  std::uint64_t max_cost() const;

  // The source tree, after macros.
  const Expr& root() const;
  const Library& library() const;

 private:
  struct Parts;
  explicit Program(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace dcm::cel
