#include "controllers/common/explanation.hpp"

#include <algorithm>

namespace dcm::common {

std::string_view to_string(Outlook outlook) {
  switch (outlook) {
    case Outlook::note:
      return "note";
    case Outlook::fine:
      return "fine";
    case Outlook::acting:
      return "acting";
    case Outlook::waiting:
      return "waiting";
    case Outlook::stuck:
      return "stuck";
  }
  return "";
}

Outlook outlook_of(const Explanation& explanation) {
  Outlook worst = Outlook::fine;
  for (const Topic& topic : explanation.topics) {
    for (const Finding& finding : topic.findings) worst = std::max(worst, finding.outlook);
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
