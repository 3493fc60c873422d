// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/token_files/seqax_order.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/numpy_philox.h"

namespace meshwright::data {

SeqaxOrder::SeqaxOrder(std::int64_t num_sequences, const SeqaxOrderOptions& options)
    : options_(options) {
  MW_CHECK(options.batch_size > 0 && options.streams > 0 &&
               options.read_blocks_per_shuffle_buffer > 0 && options.sequences_per_read_block > 0,
           "seqax's order: sizes must be positive");
  MW_CHECK(options.batch_size % options.streams == 0, "seqax's order: ", options.streams,
           " streams do not divide a batch of ", options.batch_size, " rows");
  num_blocks_ = num_sequences / options.sequences_per_read_block;
  num_blocks_ -= num_blocks_ % options.streams;
  MW_CHECK(num_blocks_ > 0, "seqax's order: ", num_sequences, " sequences are no read block of ",
           options.sequences_per_read_block, " for each of ", options.streams,
           " streams\nuse fewer streams or smaller read blocks");
  blocks_ = seqax_permutation(options.seed, num_blocks_);
}

std::int64_t SeqaxOrder::num_batches() const {
  return num_blocks_ * options_.sequences_per_read_block / options_.batch_size;
}

std::int64_t SeqaxOrder::sequence(std::int64_t step, std::int64_t row) const {
  const std::int64_t rows_per_stream = options_.batch_size / options_.streams;
  const std::int64_t stream = row / rows_per_stream;
  const std::int64_t in_stream = step * rows_per_stream + row % rows_per_stream;
  const std::int64_t per_block = options_.sequences_per_read_block;
  const std::int64_t per_buffer = options_.read_blocks_per_shuffle_buffer * per_block;
  const std::int64_t buffer = in_stream / per_buffer;
  const auto place = static_cast<std::size_t>(in_stream % per_buffer);
  const std::int64_t shuffled = (*buffer_order(stream, buffer))[place];
  // Blocks are dealt to the streams in turn.
  const std::int64_t block_of_stream =
      buffer * options_.read_blocks_per_shuffle_buffer + shuffled / per_block;
  const auto block = static_cast<std::size_t>(block_of_stream * options_.streams + stream);
  return std::int64_t{blocks_[block]} * per_block + shuffled % per_block;
}

std::shared_ptr<const SeqaxOrder::Permutation> SeqaxOrder::buffer_order(std::int64_t stream,
                                                                        std::int64_t number) const {
  {
    const std::lock_guard lock(mutex_);
    const Buffer& known = buffers_[stream];
    if (known.number == number) return known.order;
  }
  const std::int64_t blocks_of_stream = num_blocks_ / options_.streams;
  const std::int64_t blocks =
      std::min(options_.read_blocks_per_shuffle_buffer,
               blocks_of_stream - number * options_.read_blocks_per_shuffle_buffer);
  const std::int64_t seed = options_.seed + 1 + number * options_.streams + stream;
  auto order = std::make_shared<const Permutation>(
      seqax_permutation(seed, blocks * options_.sequences_per_read_block));
  const std::lock_guard lock(mutex_);
  buffers_[stream] = {number, order};
  return order;
}

std::vector<std::uint32_t> seqax_permutation(std::int64_t seed, std::int64_t size) {
  MW_CHECK(size <= std::numeric_limits<std::uint32_t>::max(), "seqax's order: ", size,
           " are too many to shuffle\nuse larger read blocks or a smaller shuffle buffer");
  NumpyPhilox random(seed);
  std::vector<std::uint32_t> out(static_cast<std::size_t>(size)), others(out.size());
  for (std::size_t i = 0; i < others.size(); ++i)
    others[i] = static_cast<std::uint32_t>(random.next() % (i + 1));
  std::iota(out.begin(), out.end(), 0U);
  for (std::size_t i = out.size(); i-- > 0;)
    std::swap(out[i], out[others[i]]);
  return out;
}

}  // namespace meshwright::data
