// SPDX-License-Identifier: Apache-2.0
// A task is one key head of one batch row. It packs the keys and values into panels, then processes
// the queries block by block.
#include "meshwright/kernels/attention/attention_handlers.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "meshwright/kernels/attention/attention_block.h"
#include "meshwright/kernels/common/by_dtype.h"
#include "meshwright/kernels/common/ranges.h"
#include "meshwright/kernels/common/scratch.h"
#include "meshwright/kernels/product/block_product.h"
#include "meshwright/kernels/rows/rows.h"
#include "meshwright/kernels/simd/lanes.h"
#include "meshwright/kernels/simd/softmax.h"
#include "meshwright/pjrt/kernel_call.h"

namespace meshwright::kernels {
namespace {

using pjrt::KernelCall;

// Queries per task. Each task packs the keys again.
constexpr std::int64_t kQueriesPerTask = 512;
// Number of tasks to aim for when tasks combine batch rows, as they do to sum the bias gradient.
constexpr std::int64_t kFewestTasks = 16;

/// Returns the lines of one head in an array of queries or keys; each line runs along dim.
Lines lines_of(const pjrt::KernelInput& array, std::ptrdiff_t first, std::ptrdiff_t row) {
  return Lines{.data = array.data, .dtype = array.dtype, .is_inner_dense = true, .step = row}.from(
      0, first);
}

void write(const float* from,
           const AttentionSizes& s,
           std::int64_t rows,
           const pjrt::KernelOutput& array,
           std::ptrdiff_t first,
           std::ptrdiff_t row) {
  by_dtype(array.dtype, [&]<typename T>(T) {
    write_rows(from, s.dim_room(), rows, s.dim, array.values<T>().data() + first, row);
  });
}

/// Sizes and options of a call.
struct Setup {
  AttentionSizes s;
  PackedAs words;
  AttentionExtras extras;

  Setup(const KernelCall& call, int first_extra)
      : s(attention_sizes(call)), words(words_of(call.input(0).dtype)), extras(call, first_extra) {}
};

/// One key head of one batch row, for the forward and backward kernels.
struct Head {
  const AttentionSizes& s;
  PackedAs words;
  const AttentionExtras& extras;
  std::int64_t b, head;
  VisibleKeys visible;
  Range queries, keys;  ///< of the task

  /// Takes all queries and keys of head `index`, counted through the batch rows.
  Head(const Setup& setup, std::int64_t index)
      : s(setup.s),
        words(setup.words),
        extras(setup.extras),
        b(index / s.kv),
        head(index % s.kv),
        visible(extras.visible_keys(s, b)),
        queries{0, s.len},
        keys{0, s.src} {}

  /// Restricts the task to some queries and the keys they attend to.
  void restrict_to(Range some) {
    queries = some;
    if (extras.mask.data == nullptr) keys = visible.cover(queries);
  }
  std::int64_t packed_by_keys() const {
    return padded(packed_size(keys.size(), s.dim, kPanelColumns, words));
  }
  std::int64_t packed_by_dim() const {
    return padded(packed_size(s.dim, keys.size(), kPanelColumns, words));
  }
  std::int64_t rows_size() const { return s.block() * s.dim_room(); }
  std::int64_t scores_size() const { return s.block() * s.src_room(); }
  std::ptrdiff_t first_key() const { return s.first_key(b, head); }
  std::ptrdiff_t first_query(std::int64_t query_head) const {
    return s.first_query(b, head, query_head);
  }
  Lines query_lines(const pjrt::KernelInput& array, std::int64_t query_head) const {
    return lines_of(array, first_query(query_head), s.query_row());
  }
  Lines key_lines(const pjrt::KernelInput& array) const {
    return lines_of(array, first_key(), s.key_row());
  }

  /// Packs keys or values for AttentionBlock::by_keys().
  const std::uint32_t* pack_by_keys(const Lines& lines, ScratchParts& scratch) const {
    return pack(lines.from(keys.begin, 0), keys.size(), s.dim, scratch.take(packed_by_keys()));
  }
  /// Packs keys or values for AttentionBlock::over_keys().
  const std::uint32_t* pack_by_dim(const Lines& lines, ScratchParts& scratch) const {
    return pack(lines.across().from(0, keys.begin), s.dim, keys.size(),
                scratch.take(packed_by_dim()));
  }

 private:
  const std::uint32_t* pack(const Lines& lines,
                            std::int64_t num,
                            std::int64_t inner,
                            float* to) const {
    auto* panels = reinterpret_cast<std::uint32_t*>(to);
    pack_panels(lines, num, inner, kPanelColumns, words, panels);
    return panels;
  }
};

/// Calls `body` with each block of the queries of one head.
template <typename Body>
void for_each_block(const Head& head, std::int64_t query_head, const Body& body) {
  const AttentionSizes& s = head.s;
  const AttentionBias<const float> bias = head.extras.bias_of(s, head.head, query_head);
  const std::ptrdiff_t first_score = s.first_score(head.b * s.kv + head.head, query_head);
  std::array<Range, kMostPanels * kPanelRows> ranges;
  for (Range block = head.queries; block.begin < head.queries.end; block.begin = block.end) {
    block.end = head.visible.block_end({block.begin, head.queries.end}, kPanelRows, s.block());
    const auto of_block = std::span(ranges).first(static_cast<std::size_t>(block.size()));
    const Range keys = head.visible.cover(block, of_block);
    for (Range& range : of_block)
      if (range.size() > 0) range = {range.begin - keys.begin, range.end - keys.begin};
    body(AttentionBlock{block, keys, head.keys, ranges.data(), s, head.words, head.visible, bias,
                        first_score});
  }
}

struct Attention {
  static constexpr std::string_view kName = "mw_attention";
  static constexpr int kAbiVersion = 4;

  static void run(KernelCall& call) {
    const Setup setup(call, 3);
    const AttentionSizes& s = setup.s;
    const std::int64_t chunks = num_chunks(s.len, kQueriesPerTask);
    call.parallel_for(s.batch * s.kv * chunks, [&](std::int64_t task) {
      Head head(setup, task / chunks);
      head.restrict_to(chunk_of({0, s.len}, kQueriesPerTask, task % chunks));
      attend(call, head);
    });
  }

  static void attend(const KernelCall& call, const Head& head) {
    const AttentionSizes& s = head.s;
    const std::optional<Dropping>& dropping = head.extras.dropping;
    Scratch scratch(head.packed_by_keys() + head.packed_by_dim() + head.scores_size() +
                    head.rows_size() + AttentionBlock::room(s, head.words));
    const std::uint32_t* keys = head.pack_by_keys(head.key_lines(call.input(1)), scratch);
    const std::uint32_t* values = head.pack_by_dim(head.key_lines(call.input(2)), scratch);
    float* scores = scratch.take(head.scores_size());
    float* out_rows = scratch.take(head.rows_size());
    for (std::int64_t query_head = 0; query_head < s.q; ++query_head) {
      const Lines q = head.query_lines(call.input(0), query_head);
      for_each_block(head, query_head, [&](const AttentionBlock& block) {
        block.by_keys(q, keys, scores, scratch);
        softmax(block.scores(scores));
        if (dropping) block.drop(*dropping, scores, scores);
        block.over_keys(scores, values, out_rows, scratch);
        write(out_rows, s, block.rows(), call.output(0),
              head.first_query(query_head) + block.queries.begin * s.query_row(), s.query_row());
      });
    }
  }
};

struct AttentionGradient {
  static constexpr std::string_view kName = "mw_attention_gradient";
  static constexpr int kAbiVersion = 4;
  static constexpr int kBiasGradient = 3;

  static void run(KernelCall& call) {
    const Setup setup(call, 4);
    if (call.num_outputs() > kBiasGradient) return attend_backward_with_bias(call, setup);
    call.parallel_for(setup.s.batch * setup.s.kv, [&](std::int64_t task) {
      attend_backward(call, Head(setup, task), nullptr);
    });
  }

  /// Sums the bias gradient per group of batch rows, then over the groups.
  static void attend_backward_with_bias(const KernelCall& call, const Setup& setup) {
    const AttentionSizes& s = setup.s;
    const std::int64_t of_head = s.q * s.len * s.src, size = s.kv * of_head;
    const std::int64_t tasks = num_chunks(kFewestTasks, std::max<std::int64_t>(s.kv, 1));
    const std::int64_t rows = std::max<std::int64_t>(num_chunks(s.batch, tasks), 1);
    const std::int64_t groups = std::max<std::int64_t>(num_chunks(s.batch, rows), 1);
    float* total = call.output(kBiasGradient).values<float>().data();
    SharedScratch scratch((groups - 1) * padded(size));
    float* others = scratch.take((groups - 1) * padded(size));
    auto sums_of = [&](std::int64_t group, std::int64_t head) {
      return (group == 0 ? total : others + (group - 1) * padded(size)) + head * of_head;
    };
    call.parallel_for(groups * s.kv, [&](std::int64_t task) {
      const std::int64_t group = task / s.kv, head = task % s.kv;
      std::fill_n(sums_of(group, head), of_head, 0.0f);
      const Range batch = chunk_of({0, s.batch}, rows, group);
      for (std::int64_t b = batch.begin; b < batch.end; ++b)
        attend_backward(call, Head(setup, b * s.kv + head), sums_of(group, head));
    });
    call.parallel_for(s.kv, [&](std::int64_t head) {
      float* sums = sums_of(0, head);
      for (std::int64_t group = 1; group < groups; ++group) {
        const float* other = sums_of(group, head);
        for (std::int64_t i = 0; i < of_head; ++i)
          sums[i] += other[i];
      }
    });
  }

  /// Adds to `d_bias`, [q, len, src], unless null.
  static void attend_backward(const KernelCall& call, const Head& head, float* d_bias) {
    const AttentionSizes& s = head.s;
    const std::optional<Dropping>& dropping = head.extras.dropping;
    const std::int64_t keys_size = s.src_room() * s.dim_room();
    Scratch scratch(2 * head.packed_by_keys() + head.packed_by_dim() + 2 * keys_size +
                    head.rows_size() + 2 * head.scores_size() +
                    AttentionBlock::room(s, head.words));
    const Lines k = head.key_lines(call.input(1));
    const std::uint32_t* keys = head.pack_by_keys(k, scratch);
    const std::uint32_t* values = head.pack_by_keys(head.key_lines(call.input(2)), scratch);
    const std::uint32_t* keys_by_dim = head.pack_by_dim(k, scratch);
    float* d_keys = scratch.take(keys_size);
    float* d_values = scratch.take(keys_size);
    float* d_q_rows = scratch.take(head.rows_size());
    float* probs = scratch.take(head.scores_size());
    float* d_scores = scratch.take(head.scores_size());
    std::fill_n(d_keys, keys_size, 0.0f);
    std::fill_n(d_values, keys_size, 0.0f);
    const AttentionExtras extras(call, 4);
    for (std::int64_t query_head = 0; query_head < s.q; ++query_head) {
      const AttentionBias<float> sums{
          d_bias == nullptr ? nullptr : d_bias + query_head * s.len * s.src, s.src};
      const Lines q = head.query_lines(call.input(0), query_head),
                  given = head.query_lines(call.input(3), query_head);
      for_each_block(head, query_head, [&](const AttentionBlock& block) {
        block.by_keys(q, keys, probs, scratch);
        softmax(block.scores(probs));
        const float* weights = probs;
        if (dropping) {
          block.drop(*dropping, probs, d_scores);
          weights = d_scores;
        }
        block.over_queries(weights, given, d_values, scratch);
        block.by_keys(given, values, d_scores, scratch);
        if (dropping) block.drop(*dropping, d_scores, d_scores);
        softmax_gradient(block.scores(probs), d_scores,
                         sums.at(block.queries.begin, block.keys.begin));
        block.over_keys(d_scores, keys_by_dim, d_q_rows, scratch);
        block.over_queries(d_scores, q, d_keys, scratch);
        write(d_q_rows, s, block.rows(), call.output(0),
              head.first_query(query_head) + block.queries.begin * s.query_row(), s.query_row());
      });
    }
    write(d_keys, s, s.src, call.output(1), head.first_key(), s.key_row());
    write(d_values, s, s.src, call.output(2), head.first_key(), s.key_row());
  }
};

}  // namespace

constexpr pjrt::Kernel kAttentionHandler = pjrt::kernel<Attention>();
constexpr pjrt::Kernel kAttentionGradientHandler = pjrt::kernel<AttentionGradient>();

}  // namespace meshwright::kernels
