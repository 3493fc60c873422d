// SPDX-License-Identifier: Apache-2.0
// Processes a chunk of rows at a time. First each block of the vocabulary computes its logits and,
// per row, their maximum and sum of exponentials; combining the blocks gives the losses. Then each
// group of blocks turns its logits into gradients, accumulates the table's gradient, and computes a
// partial sum of the gradient of x. The order of summation depends on sizes alone.
#include "meshwright/kernels/cross_entropy/cross_entropy_handlers.h"

#include <algorithm>
#include <functional>

#include "meshwright/kernels/common/by_dtype.h"
#include "meshwright/kernels/cross_entropy/cross_entropy_rows.h"
#include "meshwright/kernels/product/block_product.h"
#include "meshwright/kernels/rows/rows.h"
#include "meshwright/kernels/simd/lanes.h"

namespace meshwright::kernels {
namespace {

using pjrt::KernelCall;

constexpr std::int64_t kRowsOfTask = 32;

class CrossEntropy {
 public:
  /// Where to write the gradients; null if not needed.
  struct Gradients {
    std::byte* d_x = nullptr;
    float* d_table = nullptr;
  };

  CrossEntropy(const KernelCall& call, Gradients gradients)
      : call_(call),
        s_(sizes_of(call, gradients)),
        weighting_(call, s_),
        words_(words_of(call.input(0).dtype)),
        gradients_(gradients) {}

  void run() {
    const std::int64_t most = s_.rows_at_a_time();
    const std::span<float> memory = call_.output(call_.num_outputs() - 1).values<float>();
    ScratchParts scratch(memory.data(), static_cast<std::int64_t>(memory.size()));
    logits_ = scratch.take(padded(s_.logits_size()));
    partial_sums_ = scratch.take(padded(s_.partial_sums_size()));
    x_by_rows_ = reinterpret_cast<std::uint32_t*>(scratch.take(s_.x_by_rows_size(words_)));
    x_by_dim_ = reinterpret_cast<std::uint32_t*>(scratch.take(s_.x_by_dim_size(words_)));
    RowsAtHand rows;
    rows.take(s_.num_blocks(), most, scratch);
    double loss = 0;
    for (std::int64_t begin = 0; begin < s_.rows; begin += most) {
      rows.range = {begin, std::min(s_.rows, begin + most)};
      compute_logits(rows);
      for (std::int64_t i = 0; i < rows.size(); ++i)
        loss += rows.losses[i];
      if (s_.any()) differentiate(rows);
    }
    call_.output(0).values<float>()[0] = static_cast<float>(loss);
  }

 private:
  static CrossEntropySizes sizes_of(const KernelCall& call, const Gradients& gradients) {
    CrossEntropySizes sizes =
        cross_entropy_sizes(call.input(0).dims, call.input(1).dims, call.attr<bool>("vocab_first"));
    sizes.d_x = gradients.d_x != nullptr;
    sizes.d_table = gradients.d_table != nullptr;
    return sizes;
  }

  void compute_logits(const RowsAtHand& rows) {
    pack(x_of(rows, true), rows.size(), s_.dim, kPanelRows, x_by_rows_);
    call_.parallel_for(s_.num_blocks(), [&](std::int64_t block) { compute_block(rows, block); });
    std::int32_t* best = call_.output(1).values<std::int32_t>().data() + rows.range.begin;
    call_.parallel_for(num_chunks(rows.size(), kRowsOfTask), [&](std::int64_t task) {
      const Range chunk = chunk_of({0, rows.size()}, kRowsOfTask, task);
      for (std::int64_t i = chunk.begin; i < chunk.end; ++i)
        best[i] = finish_row(rows, i, s_.num_blocks(), weighting_);
    });
  }

  void pack(const Lines& lines,
            std::int64_t num_lines,
            std::int64_t inner,
            std::int64_t width,
            std::uint32_t* panels) {
    call_.parallel_for(num_chunks(num_lines, width), [&](std::int64_t panel) {
      const Range chunk = chunk_of({0, num_lines}, width, panel);
      pack_panels(lines.from(chunk.begin, 0), chunk.size(), inner, width, words_,
                  panels + chunk.begin * num_words(words_, inner));
    });
  }

  void compute_block(const RowsAtHand& rows, std::int64_t block) {
    const Range words = s_.block(block);
    const std::int64_t logits_size = s_.any() ? 0 : rows.size() * kWordsOfBlock;
    Scratch scratch(logits_size + block_room(0, words.size(), s_.dim, words_));
    float* logits = s_.any() ? logits_of(rows, block) : scratch.take(logits_size);
    multiply_block({.rows = rows.size(),
                    .columns = words.size(),
                    .inner = s_.dim,
                    .a = {.packed = x_by_rows_},
                    .b = {table_of(words, true)},
                    .c = logits,
                    .c_row = kWordsOfBlock},
                   words_, scratch);
    sum_logits({logits, kWordsOfBlock, rows.size(), words.size()}, rows.sums + block * rows.size());
    for_each_label(rows, words, [&](std::int64_t i, std::int64_t word) {
      rows.labelled[i] = logits[i * kWordsOfBlock + word];
    });
  }

  /// Calls body(row, label - words.begin) for each row whose label is among `words`.
  template <typename Body>
  void for_each_label(const RowsAtHand& rows, Range words, const Body& body) const {
    for (std::int64_t i = 0; i < rows.size(); ++i) {
      const std::int64_t label = weighting_.labels[rows.range.begin + i];
      if (label >= words.begin && label < words.end) body(i, label - words.begin);
    }
  }

  void differentiate(const RowsAtHand& rows) {
    if (s_.d_table) pack(x_of(rows, false), s_.dim, rows.size(), s_.dim_width(), x_by_dim_);
    call_.parallel_for(s_.num_groups(), [&](std::int64_t group) {
      const Range blocks = s_.blocks_of(group);
      for (std::int64_t block = blocks.begin; block < blocks.end; ++block) {
        to_gradients(rows, block);
        if (s_.d_table) add_to_table(rows, block);
        if (s_.d_x) add_to_d_x(rows, block, partial_sum(rows, group), block > blocks.begin);
      }
    });
    if (!s_.d_x) return;
    call_.parallel_for(num_chunks(rows.size(), kRowsOfTask),
                       [&](std::int64_t task) { add_parts(rows, task); });
  }

  void to_gradients(const RowsAtHand& rows, std::int64_t block) {
    const Range words = s_.block(block);
    float* logits = logits_of(rows, block);
    differentiate_logits({logits, kWordsOfBlock, rows.size(), words.size()}, rows.rules);
    for_each_label(rows, words, [&](std::int64_t i, std::int64_t word) {
      logits[i * kWordsOfBlock + word] -= rows.label_gradient[i];
    });
  }

  void add_to_table(const RowsAtHand& rows, std::int64_t block) {
    const Range words = s_.block(block);
    const Factor x{.packed = x_by_dim_};
    const Factor d_words{{.data = reinterpret_cast<const std::byte*>(logits_of(rows, block)),
                          .is_inner_dense = false,
                          .step = kWordsOfBlock}};
    BlockProduct product{.inner = rows.size(), .add = rows.range.begin > 0};
    if (s_.vocab_first) {
      product.rows = words.size(), product.columns = s_.dim;
      product.a = d_words, product.b = x;
      product.c = gradients_.d_table + words.begin * s_.dim, product.c_row = s_.dim;
    } else {
      product.rows = s_.dim, product.columns = words.size();
      product.a = x, product.b = d_words;
      product.c = gradients_.d_table + words.begin, product.c_row = s_.vocab;
    }
    multiply_block(product, words_, Scratch(block_room(product, words_)));
  }

  void add_to_d_x(const RowsAtHand& rows, std::int64_t block, float* d_x, bool add) {
    const Range words = s_.block(block);
    const BlockProduct product{
        .rows = rows.size(),
        .columns = s_.dim,
        .inner = words.size(),
        .a = {{.data = reinterpret_cast<const std::byte*>(logits_of(rows, block)),
               .step = kWordsOfBlock}},
        .b = {table_of(words, false)},
        .c = d_x,
        .c_row = s_.dim_room(),
        .add = add};
    multiply_block(product, words_, Scratch(block_room(product, words_)));
  }

  /// Sums the partial sums of a chunk of rows and writes d_x.
  void add_parts(const RowsAtHand& rows, std::int64_t task) const {
    const Range some = chunk_of({0, rows.size()}, kRowsOfTask, task);
    const std::int64_t size = some.size() * s_.dim_room();
    float* sums = partial_sum(rows, 0) + some.begin * s_.dim_room();
    for (std::int64_t group = 1; group < s_.num_groups(); ++group) {
      const float* more = partial_sum(rows, group) + some.begin * s_.dim_room();
      std::transform(sums, sums + size, more, sums, std::plus<>());
    }
    const std::int64_t at = (rows.range.begin + some.begin) * s_.dim;
    by_dtype(call_.input(0).dtype, [&](auto x) {
      auto* d_x = reinterpret_cast<decltype(x)*>(gradients_.d_x);
      write_rows(sums, s_.dim_room(), some.size(), s_.dim, d_x + at, s_.dim);
    });
  }

  /// Returns x of the current rows. Lines are rows if `by_rows`, otherwise columns.
  Lines x_of(const RowsAtHand& rows, bool by_rows) const {
    Lines x{call_.input(0).data, call_.input(0).dtype, true, s_.dim};
    x = x.from(rows.range.begin, 0);
    x.is_inner_dense = by_rows;
    return x;
  }
  /// Returns the table of `words`. Lines are words if `by_words`, otherwise embedding columns.
  Lines table_of(Range words, bool by_words) const {
    Lines table{call_.input(1).data, f32, s_.vocab_first, s_.vocab_first ? s_.dim : s_.vocab};
    table = table.from(words.begin, 0);
    if (!by_words) table.is_inner_dense = !table.is_inner_dense;
    return table;
  }

  /// [rows, kWordsOfBlock]
  float* logits_of(const RowsAtHand& rows, std::int64_t block) const {
    return logits_ + block * rows.size() * kWordsOfBlock;
  }
  /// [rows, dim_room]: the contribution of a group of blocks to the gradient of x.
  float* partial_sum(const RowsAtHand& rows, std::int64_t group) const {
    return partial_sums_ + group * rows.size() * s_.dim_room();
  }

  const KernelCall& call_;
  const CrossEntropySizes s_;
  const RowWeighting weighting_;
  const PackedAs words_;
  const Gradients gradients_;
  float* logits_ = nullptr;
  float* partial_sums_ = nullptr;
  std::uint32_t* x_by_rows_ = nullptr;
  std::uint32_t* x_by_dim_ = nullptr;
};

struct Forward {
  static constexpr std::string_view kName = "mw_cross_entropy";
  static constexpr int kAbiVersion = 2;

  static void run(KernelCall& call) { CrossEntropy(call, {}).run(); }
};

struct WithGradients {
  static constexpr std::string_view kName = "mw_cross_entropy_gradient";
  static constexpr int kAbiVersion = 2;

  static void run(KernelCall& call) {
    CrossEntropy::Gradients gradients;
    int next = 2;
    if (call.attr<bool>("d_x")) gradients.d_x = call.output(next++).data;
    if (call.attr<bool>("d_table")) gradients.d_table = call.output(next).values<float>().data();
    CrossEntropy(call, gradients).run();
  }
};

}  // namespace

constexpr pjrt::Kernel kCrossEntropyHandler = pjrt::kernel<Forward>();
constexpr pjrt::Kernel kCrossEntropyGradientHandler = pjrt::kernel<WithGradients>();

}  // namespace meshwright::kernels
