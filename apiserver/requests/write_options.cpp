#include "apiserver/requests/write_options.hpp"

#include "apiserver/rules/metadata_rules.hpp"

namespace dcm::apiserver {

namespace {

void check_common(const Query& query, Causes& causes) {
  validate_field_manager(query.get("fieldManager"), "fieldManager", causes);
  if (query.has("dryRun") && query.get("dryRun") != "All") {
    causes.push_back(not_supported("dryRun", JsonArray{query.get("dryRun")}, {"All"}));
  }
  const std::string_view check = query.get("fieldValidation");
  if (!check.empty() && check != "Ignore" && check != "Warn" && check != "Strict") {
    causes.push_back(
        not_supported("fieldValidation", Json(check), {"", "Ignore", "Strict", "Warn"}));
  }
}

Result<> verdict(std::string_view kind, const Causes& causes) {
  if (causes.empty()) return {};
  return std::unexpected(invalid_options(kind, causes));
}

}  // namespace

JsonObject admission_options(const Query& query) {
  JsonObject options;
  if (query.has("dryRun")) options["dryRun"] = JsonArray{query.get("dryRun")};
  for (const auto* key : {"fieldManager", "fieldValidation"}) {
    if (!query.get(key).empty()) options[key] = query.get(key);
  }
  return options;
}

Result<> check_write_options(std::string_view kind, const Query& query) {
  Causes causes;
  check_common(query, causes);
  return verdict(kind, causes);
}

Result<> check_patch_options(PatchKind kind, const Query& query) {
  Causes causes;
  const bool applies = kind == PatchKind::apply;
  if (applies && query.get("fieldManager").empty()) {
    causes.push_back(required_value("fieldManager", "is required for apply patch"));
  }
  if (!applies && query.has("force")) {
    causes.push_back(forbidden_value("force", "may not be specified for non-apply patch"));
  }
  check_common(query, causes);
  return verdict("PatchOptions", causes);
}

}  // namespace dcm::apiserver
