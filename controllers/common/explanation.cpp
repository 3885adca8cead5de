#include "controllers/common/explanation.hpp"

#include <algorithm>

namespace dcm::common {

std::string_view to_string(Standing standing) {
  switch (standing) {
    case Standing::note:
      return "note";
    case Standing::fine:
      return "fine";
    case Standing::acting:
      return "acting";
    case Standing::waiting:
      return "waiting";
    case Standing::stuck:
      return "stuck";
  }
  return "";
}

Standing standing_of(const Explanation& explanation) {
  Standing worst = Standing::fine;
  for (const Topic& topic : explanation.topics) {
    for (const Finding& finding : topic.findings) worst = std::max(worst, finding.standing);
  }
  return worst;
}

std::string enumerate(const std::vector<std::string>& names, std::size_t named_max) {
  // "and 1 more" is no shorter than the name.
  const std::size_t named = names.size() > named_max + 1 ? named_max : names.size();
  std::string text;
  for (std::size_t i = 0; i < named; ++i) {
    const bool is_last = i + 1 == names.size();
    if (i > 0) text += is_last ? " and " : ", ";
    text += names[i];
  }
  if (named < names.size()) text += " and " + std::to_string(names.size() - named) + " more";
  return text;
}

}  // namespace dcm::common
