// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/documents/documents.h"

#include <algorithm>

#include "meshwright/base/digest.h"

namespace meshwright::data {

void Documents::read_weights(std::int64_t /*document*/,
                             std::int64_t /*begin*/,
                             std::span<float> out) const {
  std::ranges::fill(out, 1.0f);
}

std::int64_t Documents::num_tokens() const {
  std::int64_t out = 0;
  for (std::int64_t i = 0; i < num_documents(); ++i)
    out += length(i);
  return out;
}

std::uint64_t hash_of_tokens(std::span<const std::int32_t> tokens) {
  return digest64({reinterpret_cast<const char*>(tokens.data()), tokens.size_bytes()});
}

std::vector<std::int32_t> whole_document(const Documents& documents, std::int64_t document) {
  std::vector<std::int32_t> out(static_cast<std::size_t>(documents.length(document)));
  documents.read(document, 0, out);
  return out;
}

}  // namespace meshwright::data
