// SPDX-License-Identifier: Apache-2.0
// Internal to cache/.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "meshwright/base/digest.h"
#include "meshwright/data/cache/encoded_batch.h"
#include "meshwright/data/cache/part.h"
#include "meshwright/io/file_system.h"

namespace meshwright::data {

/// Writes one part. Its files have temporary names until finish().
class PartWriter {
 public:
  /// `files` must outlive it.
  PartWriter(io::FileSystem& files,
             std::size_t part,
             const PartFormat& format,
             const CorpusPosition& begin);

  /// Appends documents [begin, end) of a batch.
  void append(const EncodedBatch& batch, std::size_t begin, std::size_t end);
  const CorpusPosition& begin() const { return info_.begin; }
  std::int64_t num_tokens() const { return info_.num_tokens; }
  /// Returns once the part would survive a power loss. `files` are those from that of the beginning
  /// on.
  PartInfo finish(const CorpusPosition& end, std::vector<FileShare> files);

 private:
  struct Output {
    std::unique_ptr<io::WritableFile> file;
    Digest digest;
  };

  void append(std::string_view kind, std::span<const std::byte> bytes);
  void append_tokens(std::span<const std::int32_t> tokens);
  void append_weights(std::span<const std::uint8_t> weights);

  io::FileSystem& folder_;
  const std::size_t part_;
  const PartFormat format_;
  std::map<std::string_view, Output> outputs_;  // by kind
  PartInfo info_;
  unsigned last_bits_ = 0;  // weights that do not fill a byte yet
  int num_last_bits_ = 0;
  std::vector<std::byte> bytes_;  // scratch memory
};

}  // namespace meshwright::data
