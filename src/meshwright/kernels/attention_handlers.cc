// SPDX-License-Identifier: Apache-2.0
// A task is one key head of one row of the batch: its keys and values are brought into the order
// that products like, then a block of queries after the other looks at them.
#include "meshwright/kernels/attention_handlers.h"

#include <algorithm>

#include "meshwright/kernels/attention_block.h"
#include "meshwright/kernels/ranges.h"
#include "meshwright/kernels/rows.h"
#include "meshwright/kernels/scratch.h"
#include "meshwright/kernels/simd/softmax.h"
#include "meshwright/pjrt/kernel_call.h"

namespace meshwright::kernels {
namespace {

using pjrt::KernelCall;

// Queries that look at copied keys before another task copies them again.
constexpr std::int64_t kQueriesPerTask = 512;
// With a bias rows of the batch share a task, which adds up its gradient; but so many tasks.
constexpr std::int64_t kFewestTasks = 16;

/// Blocks of the queries of one head of one row of the batch.
template <typename Body>
void for_each_block(const AttentionSizes& s,
                    Range queries,
                    const AttentionMask& mask,
                    const AttentionBias<const float>& bias,
                    const Body& body) {
  for (std::int64_t begin = queries.begin; begin < queries.end; begin += s.block()) {
    Range block{begin, std::min(queries.end, begin + s.block())};
    body(AttentionBlock{block, seen_by(mask, s, block), s, mask, bias});
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
    const AttentionSizes s = attention_sizes(call);
    const std::int64_t parts = num_parts(s.len, kQueriesPerTask);
    call.parallel_for(s.batch * s.kv * parts, [&](std::int64_t task) {
      const std::int64_t head = task / parts;
      look<T>(call, s, head / s.kv, head % s.kv,
              part_of({0, s.len}, kQueriesPerTask, task % parts));
    });
  }

  template <typename T>
  static void look(const KernelCall& call,
                   const AttentionSizes& s,
                   std::int64_t b,
                   std::int64_t head,
                   Range queries) {
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
    const AttentionExtras extras(call, 3);
    const AttentionMask mask = extras.mask_of(s, b);
    for (std::int64_t part = 0; part < s.q; ++part) {
      const T* q = call.input(0).values<T>().data() + s.first_query(b, head, part);
      T* out = call.output(0).values<T>().data() + s.first_query(b, head, part);
      for_each_block(s, queries, mask, extras.bias_of(s, head, part),
                     [&](const AttentionBlock& block) {
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
  static constexpr int kOfBias = 3;

  static void run(KernelCall& call) {
    call.input(0).dtype == bf16 ? run_as<BFloat16>(call) : run_as<float>(call);
  }

  template <typename T>
  static void run_as(const KernelCall& call) {
    const AttentionSizes s = attention_sizes(call);
    if (call.num_outputs() <= kOfBias)
      return call.parallel_for(s.batch * s.kv, [&](std::int64_t task) {
        look<T>(call, s, task / s.kv, task % s.kv, nullptr);
      });
    look_with_bias<T>(call, s);
  }

  /// A task is some rows of the batch; each has its sum over them, and then these are added up.
  template <typename T>
  static void look_with_bias(const KernelCall& call, const AttentionSizes& s) {
    const std::int64_t of_head = s.q * s.len * s.src, size = s.kv * of_head;
    const std::int64_t tasks = num_parts(kFewestTasks, std::max<std::int64_t>(s.kv, 1));
    const std::int64_t rows = std::max<std::int64_t>(num_parts(s.batch, tasks), 1);
    const std::int64_t parts = std::max<std::int64_t>(num_parts(s.batch, rows), 1);
    float* total = call.output(kOfBias).values<float>().data();
    SharedScratch scratch((parts - 1) * padded(size));
    float* others = scratch.take((parts - 1) * padded(size));
    auto sums_of = [&](std::int64_t part, std::int64_t head) {
      return (part == 0 ? total : others + (part - 1) * padded(size)) + head * of_head;
    };
    call.parallel_for(parts * s.kv, [&](std::int64_t task) {
      const std::int64_t part = task / s.kv, head = task % s.kv;
      std::fill_n(sums_of(part, head), of_head, 0.0f);
      const Range batch = part_of({0, s.batch}, rows, part);
      for (std::int64_t b = batch.begin; b < batch.end; ++b)
        look<T>(call, s, b, head, sums_of(part, head));
    });
    call.parallel_for(s.kv, [&](std::int64_t head) {
      float* sums = sums_of(0, head);
      for (std::int64_t part = 1; part < parts; ++part) {
        const float* other = sums_of(part, head);
        for (std::int64_t i = 0; i < of_head; ++i)
          sums[i] += other[i];
      }
    });
  }

  /// Adds to `of_bias`, q len src, unless it is null.
  template <typename T>
  static void look(const KernelCall& call,
                   const AttentionSizes& s,
                   std::int64_t b,
                   std::int64_t head,
                   float* of_bias) {
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
    const AttentionExtras extras(call, 4);
    const AttentionMask mask = extras.mask_of(s, b);
    for (std::int64_t part = 0; part < s.q; ++part) {
      const AttentionBias<const float> bias = extras.bias_of(s, head, part);
      const AttentionBias<float> sums{of_bias == nullptr ? nullptr : of_bias + part * s.len * s.src,
                                      s.src};
      const std::ptrdiff_t first_query = s.first_query(b, head, part);
      const T* q = call.input(0).values<T>().data() + first_query;
      const T* given = call.input(3).values<T>().data() + first_query;
      T* of_q = call.output(0).values<T>().data() + first_query;
      for_each_block(s, {0, s.len}, mask, bias, [&](const AttentionBlock& block) {
        const std::ptrdiff_t at = block.queries.begin * row;
        read_rows(q + at, row, block.rows(), s.dim, q_rows, s.dim_room());
        read_rows(given + at, row, block.rows(), s.dim, given_rows, s.dim_room());
        block.by_keys(q_rows, keys_across, probs);
        softmax(block.scores(probs));
        block.by_keys(given_rows, values_across, of_scores);
        block.over_queries(probs, given_rows, of_values);
        softmax_gradient(block.scores(probs), of_scores,
                         sums.at(block.queries.begin, block.keys.begin));
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
