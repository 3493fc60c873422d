// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/survey/row_view.h"

#include <algorithm>
#include <span>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/data/core/lm_batch.h"
#include "meshwright/data/core/seq2seq_batch.h"

namespace meshwright::data {
namespace {

using Ids = std::span<const std::int32_t>;

// Returns the elements of one row of an array.
template <typename T>
std::span<const T> row_of(const Batch& batch, std::string_view array, std::int64_t row) {
  const HostTensor& values = batch.at(array).value();
  const auto size = static_cast<std::size_t>(values.num_elements() / values.dims().front());
  return values.values<T>().subspan(static_cast<std::size_t>(row) * size, size);
}

// One row of a language model's batch.
class LmRow {
 public:
  LmRow(const Batch& batch, std::int64_t row)
      : inputs_(row_of<std::int32_t>(batch, kInputs, row)),
        targets_(row_of<std::int32_t>(batch, kTargets, row)),
        weights_(row_of<float>(batch, kWeights, row)) {
    if (batch.find(kSegments) != nullptr) segments_ = row_of<std::int32_t>(batch, kSegments, row);
  }

  // True if each target is the next input, wherever it counts.
  bool is_one_sequence() const {
    for (std::size_t i = 0; i + 1 < inputs_.size(); ++i)
      if (weights_[i] > 0 && targets_[i] != inputs_[i + 1]) return false;
    return true;
  }

  // Returns tokens [begin, begin + length) of the sequence.
  ShownTokens part(std::int64_t begin, std::int64_t length) const {
    ShownTokens out{.begin = begin};
    for (std::int64_t i = begin; i < begin + length; ++i) {
      const auto at = static_cast<std::size_t>(i);
      out.tokens.push_back(at < inputs_.size() ? inputs_[at] : targets_.back());
      out.learnt.push_back(i > 0 && weights_[at - 1] > 0);
    }
    if (!segments_.empty())
      out.segment = segments_[std::min(static_cast<std::size_t>(begin), segments_.size() - 1)];
    return out;
  }

  // Returns the ranges of equal segments. The last target belongs to the last input's segment if it
  // is learnt; otherwise it is the beginning of another document, or padding.
  std::vector<ShownTokens> segments() const {
    const std::int64_t size = std::ssize(inputs_);
    if (segments_.empty()) return {part(0, size + 1)};
    std::vector<ShownTokens> out;
    for (std::int64_t begin = 0; begin < size;) {
      const std::int32_t segment = segments_[static_cast<std::size_t>(begin)];
      std::int64_t end = begin;
      while (end < size && segments_[static_cast<std::size_t>(end)] == segment)
        ++end;
      const bool has_last = end == size && weights_.back() > 0;
      if (segment > 0) out.push_back(part(begin, end - begin + (has_last ? 1 : 0)));
      begin = end;
    }
    return out;
  }

  std::vector<ShownTokens> two_sequences() const {
    ShownTokens inputs{.array = std::string(kInputs), .tokens = {inputs_.begin(), inputs_.end()}};
    inputs.learnt.resize(inputs.tokens.size());
    ShownTokens targets{.array = std::string(kTargets),
                        .tokens = {targets_.begin(), targets_.end()}};
    for (const float weight : weights_)
      targets.learnt.push_back(weight > 0);
    return {std::move(inputs), std::move(targets)};
  }

  std::int64_t num_tokens() const { return std::ssize(inputs_) + 1; }

 private:
  Ids inputs_, targets_;
  std::span<const float> weights_;
  Ids segments_ = {};  // empty without segments
};

void add_lm_row(const Batch& batch,
                std::int64_t index,
                const std::vector<RowPart>& parts,
                RowView& out) {
  const LmRow row(batch, index);
  if (!row.is_one_sequence()) {
    out.parts = row.two_sequences();
    return;
  }
  for (const RowPart& part : parts) {
    out.parts.push_back(row.part(part.begin, part.length));
    out.parts.back().origin = part.origin;
  }
  if (parts.empty()) out.parts = row.segments();
  out.num_padding = row.num_tokens();
  for (const ShownTokens& part : out.parts)
    out.num_padding -= std::ssize(part.tokens);
}

// Padding at the end is left out.
void add_seq2seq_row(const Batch& batch, std::int64_t index, RowView& out) {
  const Ids inputs = row_of<std::int32_t>(batch, kEncoderInputs, index);
  auto end = inputs.end();
  while (end != inputs.begin() && *(end - 1) == kPadToken)
    --end;
  ShownTokens source{.array = std::string(kEncoderInputs), .tokens = {inputs.begin(), end}};
  source.learnt.resize(source.tokens.size());
  out.parts.push_back(std::move(source));
  ShownTokens target{.array = std::string(kTargets)};
  const Ids targets = row_of<std::int32_t>(batch, kTargets, index);
  const std::span<const float> weights = row_of<float>(batch, kWeights, index);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (targets[i] == kPadToken && weights[i] == 0) continue;
    target.tokens.push_back(targets[i]);
    target.learnt.push_back(weights[i] > 0);
  }
  out.parts.push_back(std::move(target));
}

bool is_of_tokens(std::string_view array) {
  return array == kInputs || array == kTargets || array == kWeights || array == kSegments ||
         array == kPositions || array == kEncoderInputs || array == kDecoderInputs;
}

void add_arrays(const Batch& batch, std::int64_t index, RowView& out) {
  const bool has_tokens = !out.parts.empty();
  for_each(batch, [&](const std::string& name, const HostTensor& values) {
    if (has_tokens && is_of_tokens(name)) return;
    if (name == kExampleWeight) return;
    const auto size = values.num_elements() / values.dims().front();
    const std::vector<double> all = values.to_doubles();
    const Dims dims(values.dims().begin() + 1, values.dims().end());
    out.arrays.push_back(
        {.name = name,
         .type = {values.dtype(), dims},
         .values = {all.begin() + index * size, all.begin() + (index + 1) * size}});
  });
}

// True if the row is padding as a whole.
bool is_padding(const Batch& batch, std::int64_t index) {
  return batch.find(kExampleWeight) != nullptr &&
         row_of<float>(batch, kExampleWeight, index).front() == 0;
}

// `index` is that of the row in `batch`.
RowView view(const Source& source, const Batch& batch, std::int64_t index, RowView out) {
  if (is_padding(batch, index)) return out;
  out.part_of_mixture = source.part_of_row(out.step, out.row);
  const bool has_weights = batch.find(kTargets) != nullptr && batch.find(kWeights) != nullptr;
  if (has_weights && batch.find(kInputs) != nullptr) {
    add_lm_row(batch, index, source.row_parts(out.step, out.row), out);
  } else if (has_weights && batch.find(kEncoderInputs) != nullptr) {
    add_seq2seq_row(batch, index, out);
  }
  add_arrays(batch, index, out);
  return out;
}

void check_step(const Source& source, std::int64_t step) {
  const std::optional<std::int64_t> num_batches = source.num_batches();
  MW_CHECK(step >= 0 && (!num_batches || step < *num_batches), "data: ", source.name(),
           " has no batch ", step,
           num_batches ? str(": it has ", *num_batches, ", from 0 on") : "");
}

}  // namespace

std::int64_t ShownTokens::num_learnt() const {
  return std::ranges::count(learnt, true);
}

RowView row_view(const Source& source, std::int64_t step, std::int64_t row) {
  check_step(source, step);
  const std::int64_t size = batch_size(source);
  MW_CHECK(row >= 0 && row < size, "data: a batch of ", source.name(), " has no row ", row,
           ": it has ", size, ", from 0 on");
  return view(source, source.batch(step, {row, row + 1}), 0, {.step = step, .row = row});
}

std::vector<RowView> row_views(const Source& source, std::int64_t step) {
  check_step(source, step);
  const Batch batch = whole_batch(source, step);
  std::vector<RowView> out;
  for (std::int64_t row = 0; row < batch_size(source); ++row)
    out.push_back(view(source, batch, row, {.step = step, .row = row}));
  return out;
}

}  // namespace meshwright::data
