// SPDX-License-Identifier: Apache-2.0
// Internal to survey/: documents of which only sizes and hashes are known.
#pragma once

#include <cstdint>
#include <vector>

#include "meshwright/data/documents/documents.h"

namespace meshwright::data {

/// As much of documents as hold_out() and plans of rows need; they have no tokens to read.
class MeasuredDocuments : public Documents {
 public:
  explicit MeasuredDocuments(bool has_weights) : has_weights_(has_weights) {}

  void add(std::int64_t length, std::uint64_t hash) {
    lengths_.push_back(length);
    hashes_.push_back(hash);
  }
  const std::vector<std::uint64_t>& hashes() const { return hashes_; }

  std::int64_t num_documents() const override { return std::ssize(lengths_); }
  std::int64_t length(std::int64_t document) const override {
    return lengths_[static_cast<std::size_t>(document)];
  }
  /// Throws internal.
  void read(std::int64_t document, std::int64_t begin, std::span<std::int32_t> out) const override;
  bool has_weights() const override { return has_weights_; }
  Origin origin(std::int64_t /*document*/) const override { return {}; }
  std::uint64_t content_hash(std::int64_t document) const override {
    return hashes_[static_cast<std::size_t>(document)];
  }
  std::string fingerprint() const override { return ""; }

 private:
  bool has_weights_;
  std::vector<std::int64_t> lengths_;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace meshwright::data
