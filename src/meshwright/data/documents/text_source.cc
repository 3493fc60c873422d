// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/documents/text_source.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/data/core/lm_batch.h"
#include "meshwright/data/documents/file_digests.h"

namespace meshwright::data {
namespace {

constexpr std::string_view kFiles = "files";  // in the identity

// The arrays of one row of a batch, which are zeros before anything is written.
struct RowArrays {
  RowArrays(Batch& batch, std::size_t row, std::size_t length, bool has_segments)
      : inputs(part<std::int32_t>(batch, kInputs, row, length)),
        targets(part<std::int32_t>(batch, kTargets, row, length)),
        weights(part<float>(batch, kWeights, row, length)) {
    if (!has_segments) return;
    segments = part<std::int32_t>(batch, kSegments, row, length);
    positions = part<std::int32_t>(batch, kPositions, row, length);
  }

  template <typename T>
  static std::span<T> part(Batch& batch,
                           std::string_view name,
                           std::size_t row,
                           std::size_t length) {
    return batch[name].value().template mutable_values<T>().subspan(row * length, length);
  }

  std::span<std::int32_t> inputs, targets;
  std::span<float> weights;
  std::span<std::int32_t> segments = {}, positions = {};  // empty if the batch has none
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

  std::optional<std::int64_t> num_skipped_records() const override {
    return options_.num_skipped_records;
  }
  Tree<Scalar> identity() const override {
    Tree<Scalar> out;
    out["documents"] = Scalar(fingerprint_);
    if (const auto files = documents_->files(); !files.empty()) out[kFiles] = file_digests(files);
    out["length"] = Scalar(options_.length);
    out["rows"] = Scalar(rows_->num_rows());
    out["row_plan"] = Scalar(rows_->description());
    out["context"] = Scalar(static_cast<std::int64_t>(options_.context));
    order_.add_to(out);
    return out;
  }

  std::string changes_since(const Tree<Scalar>& identity) const override {
    const Tree<Scalar>* then = identity.find(kFiles);
    return then == nullptr ? "" : changed_file(*then, documents_->files());
  }

  Batch batch(std::int64_t step, Rows rows) const override {
    const std::vector<std::int64_t> numbers = order_.examples(step, rows);
    Batch out = empty_lm_batch(rows.size(), options_.length, layout());
    const auto length = static_cast<std::size_t>(options_.length);
    Buffers buffers(length + 1);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] == EpochOrder::kPadding) continue;
      write(numbers[i], buffers, RowArrays(out, i, length, is_cut_by_document()));
    }
    if (is_padded()) out[kExampleWeight] = example_weights(numbers);
    return out;
  }

  std::vector<RowPart> row_parts(std::int64_t step, std::int64_t row) const override {
    const std::int64_t number = order_.examples(step, {row, row + 1}).front();
    std::vector<RowPart> out;
    if (number == EpochOrder::kPadding) return out;
    std::int64_t begin = 0;
    for (const Slice& slice : rows_->row(number)) {
      out.push_back(
          {.begin = begin, .length = slice.length, .origin = documents_->origin(slice.document)});
      out.back().origin.token += slice.begin;
      begin += slice.length;
    }
    return out;
  }

 private:
  bool is_padded() const { return options_.order.remainder == Remainder::pad; }
  bool is_cut_by_document() const { return options_.context == Context::document; }
  LmBatchLayout layout() const { return {.has_segments = is_cut_by_document()}; }

  // The tokens of a row, one more than its inputs, and their weights in the loss.
  struct Buffers {
    explicit Buffers(std::size_t size) : tokens(size), weights(size, 1) {}
    std::vector<std::int32_t> tokens;
    std::vector<float> weights;
  };

  void write(std::int64_t number, Buffers& buffers, const RowArrays& out) const {
    const std::size_t length = out.inputs.size();
    std::size_t at = 0;
    std::int32_t segment = 0;
    for (const Slice& slice : rows_->row(number)) {
      const std::size_t end = at + static_cast<std::size_t>(slice.length);
      const auto tokens = std::span(buffers.tokens).subspan(at, end - at);
      const auto weights = std::span(buffers.weights).subspan(at, end - at);
      documents_->read(slice.document, slice.begin, tokens);
      if (documents_->has_weights()) documents_->read_weights(slice.document, slice.begin, weights);
      // The first token is the target of the last one before it, which may be of another document.
      if (at > 0 && !is_cut_by_document()) out.weights[at - 1] = weights[0];
      std::ranges::copy(weights.subspan(1), out.weights.begin() + static_cast<std::ptrdiff_t>(at));
      if (is_cut_by_document()) {
        const std::size_t count = std::min(end, length) - at;
        std::ranges::fill(out.segments.subspan(at, count), ++segment);
        const auto positions = out.positions.subspan(at, count);
        std::iota(positions.begin(), positions.end(), 0);
      }
      at = end;
    }
    std::ranges::fill(std::span(buffers.tokens).subspan(at), 0);
    std::ranges::copy(std::span(buffers.tokens).first(length), out.inputs.begin());
    std::ranges::copy(std::span(buffers.tokens).subspan(1), out.targets.begin());
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
