// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "meshwright/base/str.h"
#include "meshwright/data/documents/documents.h"

namespace meshwright::data {

/// Documents in memory.
class MemoryDocuments : public Documents {
 public:
  explicit MemoryDocuments(std::vector<std::vector<std::int32_t>> all,
                           std::vector<std::vector<float>> weights = {})
      : all_(std::move(all)), weights_(std::move(weights)) {}

  std::int64_t num_documents() const override { return std::ssize(all_); }
  std::int64_t length(std::int64_t document) const override { return std::ssize(at(document)); }
  void read(std::int64_t document, std::int64_t begin, std::span<std::int32_t> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = at(document).at(static_cast<std::size_t>(begin) + i);
  }
  bool has_weights() const override { return !weights_.empty(); }
  void read_weights(std::int64_t document,
                    std::int64_t begin,
                    std::span<float> out) const override {
    if (weights_.empty()) return Documents::read_weights(document, begin, out);
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] =
          weights_.at(static_cast<std::size_t>(document)).at(static_cast<std::size_t>(begin) + i);
  }
  Origin origin(std::int64_t document) const override { return {.file = "", .record = document}; }
  std::uint64_t content_hash(std::int64_t document) const override {
    return hash_of_tokens(at(document));
  }
  std::string fingerprint() const override {
    std::string out;
    for (const auto& document : all_)
      out += str(hash_of_tokens(document), " ");
    return out;
  }

 private:
  const std::vector<std::int32_t>& at(std::int64_t document) const {
    return all_.at(static_cast<std::size_t>(document));
  }

  std::vector<std::vector<std::int32_t>> all_;
  std::vector<std::vector<float>> weights_;
};

/// Returns documents of these lengths; token i of document d is 1000 d + i.
inline DocumentsPtr numbered_documents(const std::vector<std::int64_t>& lengths) {
  std::vector<std::vector<std::int32_t>> all;
  for (std::size_t d = 0; d < lengths.size(); ++d) {
    all.emplace_back();
    for (std::int64_t i = 0; i < lengths[d]; ++i)
      all.back().push_back(static_cast<std::int32_t>(1000 * static_cast<std::int64_t>(d) + i));
  }
  return std::make_shared<MemoryDocuments>(std::move(all));
}

}  // namespace meshwright::data
