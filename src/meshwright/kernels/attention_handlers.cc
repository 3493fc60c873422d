// SPDX-License-Identifier: Apache-2.0
// A task is one key head of one row of the batch: its keys and values are brought into the order
// that products like, then a block of queries after the other looks at them.
#include "meshwright/kernels/attention_handlers.h"

#include <algorithm>
#include <cstring>

#include "meshwright/kernels/ranges.h"
#include "meshwright/kernels/rows.h"
#include "meshwright/kernels/scratch.h"
#include "meshwright/kernels/simd/product.h"
#include "meshwright/kernels/simd/softmax.h"
#include "meshwright/pjrt/kernel_call.h"

namespace meshwright::kernels {
namespace {

using pjrt::KernelCall;

// Queries that look at copied keys before another task copies them again.
constexpr std::int64_t kQueriesPerTask = 512;
// So many scores at a time: what fits into a second-level cache beside keys and values.
constexpr std::int64_t kScoresAtATime = 1 << 16;

struct Sizes {
  std::int64_t batch, len, src, kv, q, dim;

  std::int64_t src_room() const { return padded(src); }
  std::int64_t dim_room() const { return padded(dim); }
  std::int64_t block() const {
    return std::clamp<std::int64_t>(kScoresAtATime / src_room(), 12, 96);
  }
  std::ptrdiff_t query_row() const { return kv * q * dim; }
  std::ptrdiff_t key_row() const { return kv * dim; }
  std::ptrdiff_t first_query(std::int64_t b, std::int64_t head, std::int64_t part) const {
    return b * len * query_row() + (head * q + part) * dim;
  }
  std::ptrdiff_t first_key(std::int64_t b, std::int64_t head) const {
    return b * src * key_row() + head * dim;
  }
};

Sizes sizes_of(const KernelCall& call) {
  auto q = call.input(0).dims, k = call.input(1).dims;
  return {.batch = q[0], .len = q[1], .src = k[1], .kv = q[2], .q = q[3], .dim = q[4]};
}

/// The mask of one row of the batch.
struct Mask {
  const std::uint8_t* data = nullptr;
  std::int64_t src = 0;

  const std::uint8_t* row(std::int64_t query) const { return data + query * src; }
};

Mask mask_of(const KernelCall& call, int at, const Sizes& s, std::int64_t b) {
  if (call.num_inputs() <= at) return {};
  pjrt::KernelInput mask = call.input(at);
  const auto* data = reinterpret_cast<const std::uint8_t*>(mask.data);
  return {data + (mask.dims.size() == 3 ? b * s.len * s.src : 0), s.src};
}

/// Keys outside are hidden from each of the queries. A query that sees nothing looks at all.
Range seen_by(const Mask& mask, const Sizes& s, Range queries) {
  if (mask.data == nullptr) return {0, s.src};
  Range seen{s.src, 0};
  for (std::int64_t i = queries.begin; i < queries.end; ++i) {
    const std::uint8_t* row = mask.row(i);
    const auto num_bytes = static_cast<std::size_t>(s.src);
    const auto* first = static_cast<const std::uint8_t*>(std::memchr(row, 1, num_bytes));
    if (first == nullptr) return {0, s.src};
    const auto* last = static_cast<const std::uint8_t*>(memrchr(row, 1, num_bytes));
    seen = {std::min<std::int64_t>(seen.begin, first - row),
            std::max<std::int64_t>(seen.end, last - row + 1)};
  }
  return {seen.begin / kLanes * kLanes, seen.end};
}

/// A block of queries of one head, and the keys it sees.
struct Block {
  Range queries, keys;
  const Sizes& s;
  Mask mask;

  std::int64_t rows() const { return queries.size(); }
  ScoreRows scores(float* data) const {
    bool masked = mask.data != nullptr;
    return {.data = data,
            .row = s.src_room(),
            .rows = rows(),
            .columns = keys.size(),
            .mask = masked ? mask.row(queries.begin) + keys.begin : nullptr,
            .mask_row = s.src};
  }
  /// rows x keys: each row of `a` times each column of `transposed`.
  void by_keys(const float* a, const float* transposed, float* out) const {
    multiply({.rows = rows(),
              .columns = padded(keys.size()),
              .inner = s.dim,
              .a = a,
              .a_row = s.dim_room(),
              .b = transposed + keys.begin,
              .b_row = s.src_room(),
              .c = out,
              .c_row = s.src_room()});
  }
  /// rows x dim: sums over keys.
  void over_keys(const float* weights, const float* values, float* out) const {
    multiply({.rows = rows(),
              .columns = s.dim_room(),
              .inner = keys.size(),
              .a = weights,
              .a_row = s.src_room(),
              .b = values + keys.begin * s.dim_room(),
              .b_row = s.dim_room(),
              .c = out,
              .c_row = s.dim_room()});
  }
  /// keys x dim: sums over queries, added to what is there.
  void over_queries(const float* weights, const float* values, float* sums) const {
    multiply({.rows = keys.size(),
              .columns = s.dim_room(),
              .inner = rows(),
              .a = weights,
              .a_row = 1,
              .a_inner = s.src_room(),
              .b = values,
              .b_row = s.dim_room(),
              .c = sums + keys.begin * s.dim_room(),
              .c_row = s.dim_room(),
              .add = true});
  }
};

template <typename Body>
void for_each_block(const Sizes& s, Range queries, const Mask& mask, const Body& body) {
  for (std::int64_t begin = queries.begin; begin < queries.end; begin += s.block()) {
    Range block{begin, std::min(queries.end, begin + s.block())};
    body(Block{block, seen_by(mask, s, block), s, mask});
  }
}

struct Attention {
  static constexpr std::string_view kName = "mw_attention";
  static constexpr int kAbiVersion = 1;

  static void run(KernelCall& call) {
    call.input(0).dtype == bf16 ? run_as<BFloat16>(call) : run_as<float>(call);
  }

  template <typename T>
  static void run_as(const KernelCall& call) {
    const Sizes s = sizes_of(call);
    const std::int64_t parts = num_parts(s.len, kQueriesPerTask);
    call.parallel_for(s.batch * s.kv * parts, [&](std::int64_t task) {
      const std::int64_t head = task / parts;
      look<T>(call, s, head / s.kv, head % s.kv,
              part_of({0, s.len}, kQueriesPerTask, task % parts));
    });
  }

  template <typename T>
  static void look(
      const KernelCall& call, const Sizes& s, std::int64_t b, std::int64_t head, Range queries) {
    const std::int64_t keys_size = s.dim * s.src_room(), values_size = s.src * s.dim_room();
    const std::int64_t rows_size = s.block() * s.dim_room();
    Scratch scratch(keys_size + values_size + 2 * rows_size + s.block() * s.src_room());
    float* keys = scratch.take(keys_size);
    float* scores = scratch.take(s.block() * s.src_room());
    float* values = scratch.take(values_size);
    float* q_rows = scratch.take(rows_size);
    float* out_rows = scratch.take(rows_size);
    const std::ptrdiff_t first = s.first_key(b, head), row = s.query_row();
    read_transposed(call.input(1).values<T>().data() + first, s.key_row(), s.src, s.dim, keys,
                    s.src_room());
    read_rows(call.input(2).values<T>().data() + first, s.key_row(), s.src, s.dim, values,
              s.dim_room());
    for (std::int64_t part = 0; part < s.q; ++part) {
      const T* q = call.input(0).values<T>().data() + s.first_query(b, head, part);
      T* out = call.output(0).values<T>().data() + s.first_query(b, head, part);
      for_each_block(s, queries, mask_of(call, 3, s, b), [&](const Block& block) {
        const std::ptrdiff_t at = block.queries.begin * row;
        read_rows(q + at, row, block.rows(), s.dim, q_rows, s.dim_room());
        block.by_keys(q_rows, keys, scores);
        softmax(block.scores(scores));
        block.over_keys(scores, values, out_rows);
        write_rows(out_rows, s.dim_room(), block.rows(), s.dim, out + at, row);
      });
    }
  }
};

struct AttentionGradient {
  static constexpr std::string_view kName = "mw_attention_gradient";
  static constexpr int kAbiVersion = 1;

  static void run(KernelCall& call) {
    call.input(0).dtype == bf16 ? run_as<BFloat16>(call) : run_as<float>(call);
  }

  template <typename T>
  static void run_as(const KernelCall& call) {
    const Sizes s = sizes_of(call);
    call.parallel_for(s.batch * s.kv,
                      [&](std::int64_t task) { look<T>(call, s, task / s.kv, task % s.kv); });
  }

  template <typename T>
  static void look(const KernelCall& call, const Sizes& s, std::int64_t b, std::int64_t head) {
    const std::int64_t transposed = s.dim * s.src_room(), keys_size = s.src_room() * s.dim_room();
    const std::int64_t rows_size = s.block() * s.dim_room();
    const std::int64_t scores_size = s.block() * s.src_room();
    Scratch scratch(2 * transposed + 3 * keys_size + 3 * rows_size + 2 * scores_size);
    float* keys_across = scratch.take(transposed);
    float* values_across = scratch.take(transposed);
    float* keys = scratch.take(keys_size);
    float* of_keys = scratch.take(keys_size);
    float* of_values = scratch.take(keys_size);
    float* q_rows = scratch.take(rows_size);
    float* given_rows = scratch.take(rows_size);
    float* of_q_rows = scratch.take(rows_size);
    float* probs = scratch.take(scores_size);
    float* of_scores = scratch.take(scores_size);

    const std::ptrdiff_t first = s.first_key(b, head), row = s.query_row();
    const T* k = call.input(1).values<T>().data() + first;
    read_transposed(k, s.key_row(), s.src, s.dim, keys_across, s.src_room());
    read_transposed(call.input(2).values<T>().data() + first, s.key_row(), s.src, s.dim,
                    values_across, s.src_room());
    read_rows(k, s.key_row(), s.src, s.dim, keys, s.dim_room());
    std::fill_n(of_keys, keys_size, 0.0f);
    std::fill_n(of_values, keys_size, 0.0f);
    for (std::int64_t part = 0; part < s.q; ++part) {
      const std::ptrdiff_t first_query = s.first_query(b, head, part);
      const T* q = call.input(0).values<T>().data() + first_query;
      const T* given = call.input(3).values<T>().data() + first_query;
      T* of_q = call.output(0).values<T>().data() + first_query;
      for_each_block(s, {0, s.len}, mask_of(call, 4, s, b), [&](const Block& block) {
        const std::ptrdiff_t at = block.queries.begin * row;
        read_rows(q + at, row, block.rows(), s.dim, q_rows, s.dim_room());
        read_rows(given + at, row, block.rows(), s.dim, given_rows, s.dim_room());
        block.by_keys(q_rows, keys_across, probs);
        softmax(block.scores(probs));
        block.by_keys(given_rows, values_across, of_scores);
        block.over_queries(probs, given_rows, of_values);
        softmax_gradient(block.scores(probs), of_scores);
        block.over_keys(of_scores, keys, of_q_rows);
        block.over_queries(of_scores, q_rows, of_keys);
        write_rows(of_q_rows, s.dim_room(), block.rows(), s.dim, of_q + at, row);
      });
    }
    write_rows(of_keys, s.dim_room(), s.src, s.dim, call.output(1).values<T>().data() + first,
               s.key_row());
    write_rows(of_values, s.dim_room(), s.src, s.dim, call.output(2).values<T>().data() + first,
               s.key_row());
  }
};

}  // namespace

constexpr pjrt::Kernel kAttentionHandler = pjrt::kernel<Attention>();
constexpr pjrt::Kernel kAttentionGradientHandler = pjrt::kernel<AttentionGradient>();

}  // namespace meshwright::kernels
