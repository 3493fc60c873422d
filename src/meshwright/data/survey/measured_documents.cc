// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/survey/measured_documents.h"

#include "meshwright/base/error.h"

namespace meshwright::data {

void MeasuredDocuments::read(std::int64_t document,
                             std::int64_t /*begin*/,
                             std::span<std::int32_t> /*out*/) const {
  fail(ErrorCode::internal, "document ", document, " was measured and not kept");
}

}  // namespace meshwright::data
