// SPDX-License-Identifier: Apache-2.0
// Some rows at a time. First each block of words gives its logits, and of each row their largest
// and the sum of their powers; when all blocks are known, so are the losses. Then each group of
// blocks turns its logits into gradients, adds to those of its words, and gives its part of the
// gradient of x. What is added up, and in which order, depends on sizes alone.
#include "meshwright/kernels/cross_entropy_handlers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "meshwright/kernels/ranges.h"
#include "meshwright/kernels/rows.h"
#include "meshwright/kernels/scratch.h"
#include "meshwright/kernels/simd/logits.h"
#include "meshwright/kernels/simd/panels.h"
#include "meshwright/kernels/simd/product.h"
#include "meshwright/pjrt/kernel_call.h"

namespace meshwright::kernels {
namespace {

using pjrt::KernelCall;

constexpr std::int64_t kWordsOfBlock = 256;
// Parts of the gradient of x that are added at the end.
constexpr std::int64_t kMostGroups = 8;
// So many logits at a time, if that is a good number of rows: gradients of words are read and
// written once for all of these rows.
constexpr std::int64_t kLogitsAtATime = 1 << 21;
constexpr std::int64_t kFewestRows = 256;
constexpr std::int64_t kRowsOfTask = 32;

struct Sizes {
  std::int64_t rows, dim, words;
  bool words_first;

  std::int64_t num_blocks() const { return num_parts(words, kWordsOfBlock); }
  std::int64_t num_groups() const { return std::min(num_blocks(), kMostGroups); }
  Range block(std::int64_t index) const { return part_of({0, words}, kWordsOfBlock, index); }
  Range blocks_of(std::int64_t group) const {
    return {group * num_blocks() / num_groups(), (group + 1) * num_blocks() / num_groups()};
  }
  std::int64_t rows_at_a_time() const {
    const std::int64_t most = std::max(kFewestRows, kLogitsAtATime / words);
    return num_parts(rows, num_parts(rows, most));
  }
  std::int64_t dim_room() const { return padded(dim); }
};

Sizes sizes_of(const KernelCall& call) {
  const std::int64_t dim = call.input(0).dims.back();
  const bool words_first = call.attr<bool>("words_first");
  return {.rows = call.input(2).num_elements(),
          .dim = dim,
          .words = call.input(1).dims[words_first ? 0 : 1],
          .words_first = words_first};
}

/// c = a b for all lines of a and b, added to what is there if `add`.
struct BlockProduct {
  std::int64_t rows = 0, columns = 0, inner = 0;
  Lines a, b;
  float* c = nullptr;
  std::ptrdiff_t c_row = 0;
  bool add = false;
};

/// Floats that multiply_block() needs.
std::int64_t block_room(std::int64_t rows, std::int64_t inner, Words words) {
  return (rounded_up(rows, kPanelRows) + kPanelColumns) * padded(num_words(words, inner));
}

void add_tile(const float* tile, Range rows, Range columns, const BlockProduct& p) {
  for (std::int64_t i = rows.begin; i < rows.end; ++i) {
    const float* from = tile + (i - rows.begin) * kPanelColumns;
    float* to = p.c + i * p.c_row + columns.begin;
    for (std::int64_t j = 0; j < columns.size(); ++j)
      to[j] = p.add ? to[j] + from[j] : from[j];
  }
}

void multiply_block(const BlockProduct& p, Words words, ScratchParts scratch) {
  const std::int64_t length = num_words(words, p.inner);
  auto* b = reinterpret_cast<std::uint32_t*>(scratch.take(kPanelColumns * padded(length)));
  const std::int64_t num_panels = num_parts(p.rows, kPanelRows);
  auto* a = reinterpret_cast<std::uint32_t*>(scratch.take(num_panels * kPanelRows * length));
  for (std::int64_t i = 0; i < p.rows; i += kPanelRows)
    pack_panel(p.a.from(i, 0), std::min(kPanelRows, p.rows - i), p.inner, kPanelRows, words,
               a + i * length);
  for (std::int64_t j = 0; j < p.columns; j += kPanelColumns) {
    const Range columns{j, std::min(p.columns, j + kPanelColumns)};
    pack_panel(p.b.from(j, 0), columns.size(), p.inner, kPanelColumns, words, b);
    for (std::int64_t i = 0; i < p.rows; i += kPanelRows) {
      const Range rows{i, std::min(p.rows, i + kPanelRows)};
      const bool is_whole = rows.size() == kPanelRows && columns.size() == kPanelColumns;
      alignas(64) float rest[kPanelRows * kPanelColumns];
      multiply_panels({.rows = a + i * length,
                       .columns = b,
                       .num_words = length,
                       .words = words,
                       .c = is_whole ? p.c + i * p.c_row + j : rest,
                       .c_row = is_whole ? p.c_row : kPanelColumns,
                       .add = is_whole && p.add});
      if (!is_whole) add_tile(rest, rows, columns, p);
    }
  }
}

/// What is known of the rows at hand.
struct Rows {
  Range range;
  float* labelled;  // the logit of the label of each row
  LogitSums* sums;  // blocks x rows
  LogitGradient* rules;
  float* of_label;  // taken from the gradient of the label's logit
  double* losses;

  std::int64_t size() const { return range.size(); }
};

struct Weighting {
  explicit Weighting(const KernelCall& call)
      : smoothing(call.attr<double>("label_smoothing")),
        z_loss(call.attr<double>("z_loss")),
        labels(call.input(2).values<std::int32_t>().data()),
        weights(call.input(3).values<float>().data()) {}

  double smoothing, z_loss;
  const std::int32_t* labels;
  const float* weights;
};

template <typename T>
class CrossEntropy {
 public:
  CrossEntropy(const KernelCall& call, bool has_gradients)
      : call_(call),
        s_(sizes_of(call)),
        weighting_(call),
        words_(words_of(call.input(0).dtype)),
        has_gradients_(has_gradients) {}

  void run() {
    const std::int64_t most = s_.rows_at_a_time(), room = padded(most);
    constexpr std::int64_t kSums = sizeof(LogitSums) / sizeof(float);
    constexpr std::int64_t kRule = sizeof(LogitGradient) / sizeof(float);
    const std::int64_t logits_size = has_gradients_ ? s_.num_blocks() * most * kWordsOfBlock : 0;
    const std::int64_t parts_size = has_gradients_ ? s_.num_groups() * most * s_.dim_room() : 0;
    SharedScratch scratch(logits_size + parts_size +
                          room * (kSums * s_.num_blocks() + kRule + 2 + 2));
    Rows rows{};
    logits_ = scratch.take(logits_size);
    parts_ = scratch.take(parts_size);
    rows.losses = reinterpret_cast<double*>(scratch.take(room * 2));
    rows.labelled = scratch.take(room);
    rows.of_label = scratch.take(room);
    rows.sums = reinterpret_cast<LogitSums*>(scratch.take(room * kSums * s_.num_blocks()));
    rows.rules = reinterpret_cast<LogitGradient*>(scratch.take(room * kRule));
    double loss = 0;
    for (std::int64_t begin = 0; begin < s_.rows; begin += most) {
      rows.range = {begin, std::min(s_.rows, begin + most)};
      look(rows);
      for (std::int64_t i = 0; i < rows.size(); ++i)
        loss += rows.losses[i];
      if (has_gradients_) differentiate(rows);
    }
    call_.output(0).values<float>()[0] = static_cast<float>(loss);
  }

 private:
  void look(const Rows& rows) {
    const std::int64_t num_tasks = num_parts(rows.size(), kRowsOfTask);
    call_.parallel_for(s_.num_blocks(), [&](std::int64_t block) { look_at(rows, block); });
    call_.parallel_for(num_tasks, [&](std::int64_t task) {
      const std::int64_t first = task * kRowsOfTask;
      for (std::int64_t i = first; i < std::min(rows.size(), first + kRowsOfTask); ++i)
        finish_row(rows, i);
    });
  }

  void look_at(const Rows& rows, std::int64_t block) {
    const Range words = s_.block(block);
    const std::int64_t logits_size = has_gradients_ ? 0 : rows.size() * kWordsOfBlock;
    Scratch scratch(logits_size + block_room(rows.size(), s_.dim, words_));
    float* logits = has_gradients_ ? logits_of(rows, block) : scratch.take(logits_size);
    multiply_block({.rows = rows.size(),
                    .columns = words.size(),
                    .inner = s_.dim,
                    .a = x_of(rows, true),
                    .b = table_of(words, true),
                    .c = logits,
                    .c_row = kWordsOfBlock},
                   words_, scratch);
    sum_logits({logits, kWordsOfBlock, rows.size(), words.size()}, rows.sums + block * rows.size());
    for (std::int64_t i = 0; i < rows.size(); ++i) {
      const std::int64_t label = weighting_.labels[rows.range.begin + i];
      if (label >= words.begin && label < words.end)
        rows.labelled[i] = logits[i * kWordsOfBlock + label - words.begin];
    }
  }

  /// The sums of a row over all words.
  struct Total {
    double log_normalizer, sum;
    std::int32_t best;
  };

  Total total_of(const Rows& rows, std::int64_t row) const {
    std::int64_t best = 0;
    for (std::int64_t block = 1; block < s_.num_blocks(); ++block) {
      if (rows.sums[block * rows.size() + row].most > rows.sums[best * rows.size() + row].most)
        best = block;
    }
    const double most = rows.sums[best * rows.size() + row].most;
    double powers = 0, sum = 0;
    for (std::int64_t block = 0; block < s_.num_blocks(); ++block) {
      const LogitSums& of_block = rows.sums[block * rows.size() + row];
      powers += of_block.powers * std::exp(of_block.most - most);
      sum += of_block.sum;
    }
    // The powers of what is not a number are 0; its sum still tells.
    const double not_finite = 0 * sum;
    const std::int32_t place = rows.sums[best * rows.size() + row].best;
    return {.log_normalizer = most + std::log(powers) + not_finite,
            .sum = sum,
            .best = static_cast<std::int32_t>(best * kWordsOfBlock) + place};
  }

  void finish_row(const Rows& rows, std::int64_t i) {
    const auto& [smoothing, z_loss, labels, weights] = weighting_;
    const std::int64_t at = rows.range.begin + i;
    const Total total = total_of(rows, i);
    call_.output(1).values<std::int32_t>()[static_cast<std::size_t>(at)] = total.best;
    const bool has_label = labels[at] >= 0 && labels[at] < s_.words;
    const double weight = has_label ? weights[at] : 0, normalizer = total.log_normalizer;
    const double num_words = static_cast<double>(s_.words);
    const double of_logits =
        has_label ? rows.labelled[i] * (1 - smoothing) + total.sum / num_words * smoothing : 0;
    const double loss = normalizer - of_logits + z_loss * normalizer * normalizer;
    rows.losses[i] = has_label ? weight * loss : 0;
    LogitGradient& rule = rows.rules[i];
    rule.log_normalizer = static_cast<float>(normalizer);
    rule.scale = static_cast<float>(weight * (1 + 2 * z_loss * normalizer));
    rule.spread = static_cast<float>(weight * smoothing / num_words);
    rows.of_label[i] = static_cast<float>(weight * (1 - smoothing));
    if (std::isnan(normalizer) && has_label) rule.spread = std::numeric_limits<float>::quiet_NaN();
  }

  void differentiate(const Rows& rows) {
    call_.parallel_for(s_.num_groups(), [&](std::int64_t group) {
      const Range blocks = s_.blocks_of(group);
      for (std::int64_t block = blocks.begin; block < blocks.end; ++block) {
        to_gradients(rows, block);
        add_to_table(rows, block);
        add_to_part(rows, block, part(rows, group), block > blocks.begin);
      }
    });
    T* of_x = call_.output(2).values<T>().data() + rows.range.begin * s_.dim;
    call_.parallel_for(num_parts(rows.size(), kRowsOfTask), [&](std::int64_t task) {
      const std::int64_t first = task * kRowsOfTask;
      const std::int64_t count = std::min(kRowsOfTask, rows.size() - first);
      float* sums = part(rows, 0) + first * s_.dim_room();
      for (std::int64_t group = 1; group < s_.num_groups(); ++group) {
        const float* more = part(rows, group) + first * s_.dim_room();
        std::transform(sums, sums + count * s_.dim_room(), more, sums, std::plus<>());
      }
      write_rows(sums, s_.dim_room(), count, s_.dim, of_x + first * s_.dim, s_.dim);
    });
  }

  void to_gradients(const Rows& rows, std::int64_t block) {
    const Range words = s_.block(block);
    float* logits = logits_of(rows, block);
    differentiate_logits({logits, kWordsOfBlock, rows.size(), words.size()}, rows.rules);
    for (std::int64_t i = 0; i < rows.size(); ++i) {
      const std::int64_t label = weighting_.labels[rows.range.begin + i];
      if (label >= words.begin && label < words.end)
        logits[i * kWordsOfBlock + label - words.begin] -= rows.of_label[i];
    }
  }

  void add_to_table(const Rows& rows, std::int64_t block) {
    const Range words = s_.block(block);
    const Lines of_words{.data = reinterpret_cast<const std::byte*>(logits_of(rows, block)),
                         .is_inner_dense = false,
                         .step = kWordsOfBlock};
    BlockProduct product{.inner = rows.size(), .add = rows.range.begin > 0};
    float* first = call_.output(3).values<float>().data();
    if (s_.words_first) {
      product.rows = words.size(), product.columns = s_.dim;
      product.a = of_words, product.b = x_of(rows, false);
      product.c = first + words.begin * s_.dim, product.c_row = s_.dim;
    } else {
      product.rows = s_.dim, product.columns = words.size();
      product.a = x_of(rows, false), product.b = of_words;
      product.c = first + words.begin, product.c_row = s_.words;
    }
    multiply_block(product, words_, Scratch(block_room(product.rows, product.inner, words_)));
  }

  void add_to_part(const Rows& rows, std::int64_t block, float* of_x, bool add) {
    const Range words = s_.block(block);
    multiply_block({.rows = rows.size(),
                    .columns = s_.dim,
                    .inner = words.size(),
                    .a = {.data = reinterpret_cast<const std::byte*>(logits_of(rows, block)),
                          .step = kWordsOfBlock},
                    .b = table_of(words, false),
                    .c = of_x,
                    .c_row = s_.dim_room(),
                    .add = add},
                   words_, Scratch(block_room(rows.size(), words.size(), words_)));
  }

  /// The rows at hand: lines are rows, or elements of x.
  Lines x_of(const Rows& rows, bool by_rows) const {
    Lines x{call_.input(0).data, call_.input(0).dtype, true, s_.dim};
    x = x.from(rows.range.begin, 0);
    x.is_inner_dense = by_rows;
    return x;
  }
  /// Lines are words, or elements of their vectors.
  Lines table_of(Range words, bool by_words) const {
    Lines table{call_.input(1).data, f32, s_.words_first, s_.words_first ? s_.dim : s_.words};
    table = table.from(words.begin, 0);
    if (!by_words) table.is_inner_dense = !table.is_inner_dense;
    return table;
  }

  /// rows x kWordsOfBlock
  float* logits_of(const Rows& rows, std::int64_t block) const {
    return logits_ + block * rows.size() * kWordsOfBlock;
  }
  /// rows x dim_room: the gradient of x by the words of a group.
  float* part(const Rows& rows, std::int64_t group) const {
    return parts_ + group * rows.size() * s_.dim_room();
  }

  const KernelCall& call_;
  const Sizes s_;
  const Weighting weighting_;
  const Words words_;
  const bool has_gradients_;
  float* logits_ = nullptr;
  float* parts_ = nullptr;
};

void run(const KernelCall& call, bool has_gradients) {
  call.input(0).dtype == bf16 ? CrossEntropy<BFloat16>(call, has_gradients).run()
                              : CrossEntropy<float>(call, has_gradients).run();
}

struct Forward {
  static constexpr std::string_view kName = "mw_cross_entropy";
  static constexpr int kAbiVersion = 1;

  static void run(KernelCall& call) { kernels::run(call, false); }
};

struct WithGradients {
  static constexpr std::string_view kName = "mw_cross_entropy_gradient";
  static constexpr int kAbiVersion = 1;

  static void run(KernelCall& call) { kernels::run(call, true); }
};

}  // namespace

constexpr pjrt::Kernel kCrossEntropyHandler = pjrt::kernel<Forward>();
constexpr pjrt::Kernel kCrossEntropyGradientHandler = pjrt::kernel<WithGradients>();

}  // namespace meshwright::kernels
