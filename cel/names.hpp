// Names that only the language itself uses: functions behind operators, and hidden variables.
#pragma once

#include <string_view>

namespace dcm::cel {

inline constexpr std::string_view kAccumulatorName = "@result";

namespace op {
inline constexpr std::string_view kConditional = "_?_:_", kAnd = "_&&_", kOr = "_||_", kNot = "!_",
                                  kEquals = "_==_", kNotEquals = "_!=_", kLess = "_<_",
                                  kLessEquals = "_<=_", kGreater = "_>_", kGreaterEquals = "_>=_",
                                  kIn = "@in", kAdd = "_+_", kSubtract = "_-_", kMultiply = "_*_",
                                  kDivide = "_/_", kModulo = "_%_", kNegate = "-_", kIndex = "_[_]",
                                  kOptionalIndex = "_[?_]", kOptionalSelect = "_?._",
                                  kNotStrictlyFalse = "@not_strictly_false",
                                  kMapInsert = "cel.@mapInsert";
}  // namespace op

}  // namespace dcm::cel
