// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/convert/pending_copy.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "meshwright/checkpoint/contents/pieces.h"

namespace meshwright::checkpoint {
namespace {

std::uint64_t bytes_of(const Dims& dims, DType dtype) {
  return static_cast<std::uint64_t>(num_elements(dims)) * byte_size(dtype);
}

std::uint64_t wanted_part_bytes(const CopyOptions& options) {
  constexpr std::uint64_t kLargest = std::uint64_t{64} << 20;
  const auto parts = static_cast<std::uint64_t>(options.threads) * kCopies;
  return std::clamp<std::uint64_t>(options.budget_bytes / parts, 1, kLargest);
}

// Returns rows of a chunk that have at most the wanted size, if a row has.
Dims rows_of_chunk(Dims chunk, DType dtype, std::uint64_t wanted) {
  for (std::int64_t& size : chunk) {
    const std::int64_t before = std::exchange(size, 1);
    const auto most = static_cast<std::int64_t>(wanted / bytes_of(chunk, dtype));
    size = std::clamp<std::int64_t>(most, 1, before);
    if (most > 0) break;
  }
  return chunk;
}

// Grows a chunk to several of them. Grows the last dimensions first, so that parts are adjacent
// elements as far as possible.
void grow(Dims& chunk, const Dims& dims, DType dtype, std::uint64_t wanted) {
  for (std::size_t d = dims.size(); d-- > 0;) {
    const std::int64_t before = chunk[d];
    const std::int64_t whole = std::max(dims[d], std::int64_t{1});
    if (before >= whole) {
      chunk[d] = whole;
      continue;
    }
    const auto most = static_cast<std::int64_t>(wanted / bytes_of(chunk, dtype));
    chunk[d] = std::min(whole, before * std::max(most, std::int64_t{1}));
    if (chunk[d] < whole) break;
  }
}

// Returns the sizes of parts that consist of whole chunks, or of rows of a large chunk if those can
// be read alone.
Dims part_of(const StoredArray& array, const CopyOptions& options) {
  const std::uint64_t wanted = wanted_part_bytes(options);
  const DType dtype = array.type().dtype;
  const Dims& dims = array.type().dims;
  Dims out = array.chunk();
  if (bytes_of(out, dtype) > wanted && array.reads_parts())
    out = rows_of_chunk(std::move(out), dtype, wanted);
  else
    grow(out, dims, dtype, wanted);
  for (std::size_t d = 0; d < dims.size(); ++d)
    out[d] = std::min(out[d], std::max(dims[d], std::int64_t{1}));
  return out;
}

// Elements that hold a share of the budget until they are freed.
struct Held {
  Held(std::shared_ptr<ByteBudget> of, std::uint64_t num_bytes)
      : budget(std::move(of)), share(*budget, num_bytes) {}

  std::shared_ptr<ByteBudget> budget;  // outlives the share
  ByteBudget::Share share;
  HostTensor value;
};

HostTensor read_within(const std::shared_ptr<ByteBudget>& budget,
                       const StoredArray& array,
                       const Ranges& part,
                       const CopyOptions& options) {
  const std::uint64_t num_bytes = bytes_of(sizes_of(part), array.type().dtype);
  auto held = std::make_shared<Held>(budget, kCopies * num_bytes);
  held->value = array.read(part);
  if (options.on_read) options.on_read(num_bytes);
  ArrayType type = held->value.type();
  std::byte* first = held->value.mutable_data();
  return {std::move(type), std::shared_ptr<std::byte>(std::move(held), first)};
}

}  // namespace

PendingCheckpoint pending_copy(const Stored& stored, const CopyOptions& options) {
  PendingCheckpoint out{.plan = {.step = stored.step,
                                 .meta = stored.meta,
                                 .iterators = stored.iterators,
                                 .structure = stored.structure}};
  const auto budget = std::make_shared<ByteBudget>(options.budget_bytes);
  for_each(stored.arrays, [&](const std::string& path, const StoredArray& array) {
    const Dims part = part_of(array, options);
    out.plan.arrays[path] = ArrayPlan{.type = array.type(), .part = part};
    const std::size_t number = out.paths.size();
    out.paths.push_back(path);
    const Pieces pieces(whole_ranges(array.type().dims), part);
    for (std::int64_t i = 0; i < pieces.size(); ++i) {
      const Ranges ranges = pieces.at(i);
      out.parts.emplace_back(number, ranges, [budget, array, ranges, options] {
        return read_within(budget, array, ranges, options);
      });
    }
  });
  return out;
}

std::uint64_t largest_part(const Stored& stored, const CopyOptions& options) {
  std::uint64_t out = 0;
  for_each(stored.arrays, [&](const std::string&, const StoredArray& array) {
    out = std::max(out, bytes_of(part_of(array, options), array.type().dtype));
  });
  return kCopies * out;
}

}  // namespace meshwright::checkpoint
