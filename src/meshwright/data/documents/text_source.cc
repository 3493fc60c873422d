// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/documents/text_source.h"

#include <algorithm>
#include <span>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/data/core/lm_batch.h"

namespace meshwright::data {
namespace {

// The tokens of one row, one more than its inputs.
struct RowTokens {
  explicit RowTokens(std::int64_t length)
      : tokens(static_cast<std::size_t>(length) + 1),
        weights(tokens.size()),
        segments(tokens.size()),
        positions(tokens.size()) {}

  std::vector<std::int32_t> tokens;
  std::vector<float> weights;           // in the loss, as targets
  std::vector<std::int32_t> segments;   // 0: padding
  std::vector<std::int32_t> positions;  // within the segment
};

class TextSource : public Source {
 public:
  TextSource(DocumentsPtr documents, RowPlanPtr rows, TextSourceOptions options)
      : documents_(std::move(documents)),
        rows_(std::move(rows)),
        options_(std::move(options)),
        order_(rows_->num_rows(), options_.order),
        fingerprint_(documents_->fingerprint()) {
    MW_CHECK(options_.length > 0, "data: ", name(), ": length is ", options_.length,
             ", expected at least 1");
    spec_ = lm_batch_spec(options_.order.batch_size, options_.length, layout());
    if (is_padded()) spec_[kExampleWeight] = array_spec(f32, {options_.order.batch_size}, "batch");
  }

  std::string name() const override { return options_.order.name; }
  const BatchSpec& spec() const override { return spec_; }
  std::optional<std::int64_t> num_batches() const override { return order_.num_batches(); }
  std::optional<double> batches_per_epoch() const override { return order_.batches_per_epoch(); }

  Tree<Scalar> identity() const override {
    Tree<Scalar> out;
    out["documents"] = Scalar(fingerprint_);
    out["length"] = Scalar(options_.length);
    out["rows"] = Scalar(rows_->num_rows());
    out["row_plan"] = Scalar(rows_->description());
    out["context"] = Scalar(static_cast<std::int64_t>(options_.context));
    order_.add_to(out);
    return out;
  }

  Batch batch(std::int64_t step, Rows rows) const override {
    const std::vector<std::int64_t> numbers = order_.examples(step, rows);
    Batch out = empty_lm_batch(rows.size(), options_.length, layout());
    RowTokens row(options_.length);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] == EpochOrder::kPadding) continue;
      read(numbers[i], row);
      write(row, static_cast<std::int64_t>(i), out);
    }
    if (is_padded()) out[kExampleWeight] = example_weights(numbers);
    return out;
  }

 private:
  bool is_padded() const { return options_.order.remainder == Remainder::pad; }
  bool is_cut_by_document() const { return options_.context == Context::document; }
  LmBatchLayout layout() const { return {.has_segments = is_cut_by_document()}; }

  void read(std::int64_t number, RowTokens& row) const {
    std::size_t at = 0;
    std::int32_t segment = 0;
    for (const Slice& slice : rows_->row(number)) {
      const auto size = static_cast<std::size_t>(slice.length);
      documents_->read(slice.document, slice.begin, std::span(row.tokens).subspan(at, size));
      documents_->read_weights(slice.document, slice.begin,
                               std::span(row.weights).subspan(at, size));
      ++segment;
      for (std::size_t i = 0; i < size; ++i, ++at) {
        row.segments[at] = segment;
        row.positions[at] = static_cast<std::int32_t>(i);
      }
    }
    for (; at < row.tokens.size(); ++at)
      row.tokens[at] = 0, row.weights[at] = 0, row.segments[at] = 0, row.positions[at] = 0;
  }

  void write(const RowTokens& row, std::int64_t number, Batch& out) const {
    const auto length = static_cast<std::size_t>(options_.length);
    const std::size_t begin = static_cast<std::size_t>(number) * length;
    auto part = [&]<typename T>(std::string_view array) {
      return out[array].value().template mutable_values<T>().subspan(begin, length);
    };
    auto inputs = std::span(row.tokens).first(length), targets = std::span(row.tokens).subspan(1);
    std::ranges::copy(inputs, part.operator()<std::int32_t>(kInputs).begin());
    std::ranges::copy(targets, part.operator()<std::int32_t>(kTargets).begin());
    std::span<float> weights = part.operator()<float>(kWeights);
    for (std::size_t i = 0; i < length; ++i) {
      const bool is_known = row.segments[i] > 0 && row.segments[i + 1] > 0;
      const bool is_other = is_cut_by_document() && row.segments[i] != row.segments[i + 1];
      weights[i] = is_known && !is_other ? row.weights[i + 1] : 0;
    }
    if (!is_cut_by_document()) return;
    std::ranges::copy(std::span(row.segments).first(length),
                      part.operator()<std::int32_t>(kSegments).begin());
    std::ranges::copy(std::span(row.positions).first(length),
                      part.operator()<std::int32_t>(kPositions).begin());
  }

  DocumentsPtr documents_;
  RowPlanPtr rows_;
  TextSourceOptions options_;
  EpochOrder order_;
  std::string fingerprint_;
  BatchSpec spec_;
};

}  // namespace

SourcePtr text_source(DocumentsPtr documents, RowPlanPtr rows, TextSourceOptions options) {
  return std::make_shared<TextSource>(std::move(documents), std::move(rows), std::move(options));
}

}  // namespace meshwright::data
