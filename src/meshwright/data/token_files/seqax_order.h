// SPDX-License-Identifier: Apache-2.0
// The order in which seqax's loader goes through a data set: read blocks are shuffled and dealt to
// streams; each stream shuffles the sequences of some blocks at a time in a buffer.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace meshwright::data {

struct SeqaxOrderOptions {
  std::int64_t seed = 0;
  std::int64_t batch_size = 0;
  std::int64_t streams = 1;
  std::int64_t read_blocks_per_shuffle_buffer = 1024;
  std::int64_t sequences_per_read_block = 0;
};

/// Thread-safe.
class SeqaxOrder {
 public:
  /// Throws invalid_argument unless the streams divide the batch and each has a read block.
  SeqaxOrder(std::int64_t num_sequences, const SeqaxOrderOptions& options);

  /// Returns the number of whole batches; the data ends after these.
  std::int64_t num_batches() const;
  /// Returns the sequence in this row of batch `step`.
  std::int64_t sequence(std::int64_t step, std::int64_t row) const;

 private:
  using Permutation = std::vector<std::uint32_t>;
  struct Buffer {
    std::int64_t number = -1;
    std::shared_ptr<const Permutation> order;
  };

  std::shared_ptr<const Permutation> buffer_order(std::int64_t stream, std::int64_t number) const;

  SeqaxOrderOptions options_;
  std::int64_t num_blocks_ = 0;  // a multiple of the streams
  Permutation blocks_;
  mutable std::mutex mutex_;
  mutable std::map<std::int64_t, Buffer> buffers_;  // the latest of each stream
};

/// Shuffles 0 .. size - 1 as seqax does, with numpy.random.Philox.
std::vector<std::uint32_t> seqax_permutation(std::int64_t seed, std::int64_t size);

}  // namespace meshwright::data
