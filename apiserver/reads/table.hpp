// meta.k8s.io Table: objects as rows of cells, as requested by `kubectl get`.
#pragma once

#include <string>

#include "apiserver/reads/lists.hpp"
#include "apiserver/reads/media.hpp"
#include "runtime/time.hpp"

namespace dcm::apiserver {

struct TableStyle {
  // The part of its object that a row includes, besides the cells.
  enum class Include { none, metadata, object };

  std::string version;  // of meta.k8s.io
  Include include = Include::metadata;
};

// Reads `includeObject` of the query; 400 for an unknown value.
Result<TableStyle> table_style(const Form& form, const Query& query);

// A watch shows its columns once, with the first event.
enum class ColumnHeads { shown, omitted };

// `metadata` is a ListMeta.
ListText table_text(const ListTarget& target, const JsonObject& metadata, const TableStyle& style,
                    ColumnHeads heads, runtime::WallTime now);
// A table of one object, with its resourceVersion.
std::string encode_table(const ListTarget& target, const Stored& object, const TableStyle& style,
                         ColumnHeads heads, runtime::WallTime now);

}  // namespace dcm::apiserver
