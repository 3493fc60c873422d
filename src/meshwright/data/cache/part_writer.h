// SPDX-License-Identifier: Apache-2.0
// Internal to cache/.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
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
  PartWriter(io::FileSystem& files, std::size_t part, const TokenFormat& format);

  void append(const EncodedBatch& batch);
  /// Returns once the part would survive a power loss.
  PartInfo finish(const RecordCounts& counts);

 private:
  struct Output {
    std::string path;
    std::unique_ptr<io::WritableFile> file;
  };

  Output create(std::string_view kind);
  void append_tokens(const std::vector<std::int32_t>& tokens);
  void finish(Output& output);

  io::FileSystem& files_;
  const std::size_t part_;
  const TokenFormat format_;
  Output tokens_;
  Output weights_;  // without a file if the encoder has no weights
  Output documents_;
  Digest documents_digest_;
  Digest weights_digest_;
  PartInfo info_;
  std::vector<std::byte> bytes_;  // scratch memory
};

}  // namespace meshwright::data
