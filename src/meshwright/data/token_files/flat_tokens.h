// SPDX-License-Identifier: Apache-2.0
// seqax's flat-tokens data sets: a zarr group with the groups train and validation. Each has
// `encoded_tokens`, u32 with 2 * id + 1 for the first token of a sequence and 2 * id for others;
// `seq_starts`, u64 with the first token of each sequence and the number of tokens; and the
// attribute `max_token_id`.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "meshwright/data/token_files/token_file.h"
#include "meshwright/data/token_files/token_writer.h"
#include "meshwright/io/zarr/range_reader.h"

namespace meshwright::data {

/// True if there is a zarr group at `path`.
bool is_flat_tokens(const std::string& path);
/// True if a data set has this split.
bool has_split(const std::string& path, const std::string& split);

/// One split of a data set. Thread-safe.
class FlatTokens {
 public:
  /// Throws not_found if there is no such split; data_loss, naming the file, if it is damaged.
  FlatTokens(const std::string& path, const std::string& split);

  const std::string& name() const { return name_; }
  std::int64_t num_tokens() const { return sequences_.back(); }
  /// The first token of each sequence, followed by the number of tokens.
  const std::vector<std::int64_t>& sequences() const { return sequences_; }
  std::int64_t max_token() const { return max_token_; }
  /// Differs if the content does.
  const std::string& fingerprint() const { return fingerprint_; }

  /// Reads 2 * id + (1 at the start of a sequence) for tokens [begin, begin + out.size()).
  void read(std::int64_t begin, std::span<std::uint32_t> out) const;
  /// Reads all tokens. Throws data_loss unless exactly the first token of each sequence is marked
  /// as such.
  void check_starts() const;

 private:
  std::string name_;
  std::vector<std::int64_t> sequences_;
  std::int64_t max_token_ = 0;
  std::string fingerprint_;
  std::unique_ptr<const io::zarr::RangeReader> tokens_;
};

TokenFile open_flat_tokens(const std::string& path, const std::string& split);
std::unique_ptr<TokenWriter> flat_tokens_writer(const std::string& path,
                                                const TokenWriterOptions& options);

}  // namespace meshwright::data
