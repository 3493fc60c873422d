// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/error.h"
#include "meshwright/base/str.h"
#include "meshwright/data/survey/flaw_list.h"
#include "meshwright/data/text/document_rules.h"

namespace meshwright::data {
namespace {

bool is_made_of(const Documents& documents, const std::vector<Slice>& row, std::int64_t length) {
  for (const Slice& slice : row) {
    if (slice.document < 0 || slice.document >= documents.num_documents()) return false;
    if (slice.begin < 0 || slice.length <= 0) return false;
    if (slice.begin + slice.length > documents.length(slice.document)) return false;
    length -= slice.length;
  }
  return length >= 0;
}

}  // namespace

void verify_rows(const TextConfig& config,
                 const DocumentsPtr& all,
                 std::int64_t seed,
                 FlawList& out) {
  const std::string files = join(config.path, ", ");
  try {
    const Split split = split_documents(config, all);
    const RowPlanPtr plan = row_plan(config, split.training, config.length, seed);
    for (std::int64_t row = 0; row < plan->num_rows(); ++row)
      if (!is_made_of(*split.training, plan->row(row), config.length + 1))
        out.add({.file = files, .what = str("row ", row, " is not made of documents")});
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_argument) throw;
    out.remark({.file = files, .what = error.what()});
  }
}

}  // namespace meshwright::data
