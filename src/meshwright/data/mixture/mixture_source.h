// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/data/core/combinators.h"
#include "meshwright/data/core/source.h"
#include "meshwright/data/mixture/schedule.h"

namespace meshwright::data {

struct MixturePart {
  std::string name;  // of letters, digits, '_', '-' and '.'
  SourcePtr source;
  double weight = 1;
  /// Number of passes over its data after which the part has finished. Only for sources with passes
  /// and for mixtures that do not repeat.
  std::optional<std::int64_t> num_epochs = {};
};

struct MixtureOptions {
  std::int64_t seed = 0;
  WhenFinished when_finished = WhenFinished::repeat;
  std::string name = "mixture";
};

/// A row of a part, counted from the first row of its batch 0.
struct PartRow {
  std::size_t part = 0;
  std::int64_t row = 0;
  bool operator==(const PartRow&) const = default;
};

/// Mixes the rows of several sources. Every batch has each part's share of the rows, rounded by
/// Quotas, in an order drawn from the seed and the step. A part's own rows come in the order of its
/// source, without gaps or repetition.
///
/// An epoch of a mixture has as many rows as the epochs of all parts together.
class MixtureSource : public Source {
 public:
  /// Throws invalid_argument, naming the part, unless the batches of all parts have the same spec,
  /// and parts end as `when_finished` requires.
  MixtureSource(std::vector<MixturePart> parts, MixtureOptions options);

  std::string name() const override { return options_.name; }
  const BatchSpec& spec() const override { return parts_.front().source->spec(); }
  std::optional<std::int64_t> num_batches() const override;
  std::optional<double> batches_per_epoch() const override;
  Tree<Scalar> identity() const override;
  /// Adds the name of the part to errors of its source.
  Batch batch(std::int64_t step, Rows rows) const override;
  std::vector<RowPart> row_parts(std::int64_t step, std::int64_t row) const override;
  std::string part_of_row(std::int64_t step, std::int64_t row) const override;
  std::optional<std::int64_t> num_skipped_records() const override;
  std::vector<PartUse> uses(std::int64_t num_batches) const override;

  const std::vector<MixturePart>& parts() const { return parts_; }
  /// Returns the origin of each of these rows of batch `step`. O(parts) per row.
  std::vector<PartRow> part_rows(std::int64_t step, Rows rows) const;

 private:
  std::vector<MixturePart> parts_;
  MixtureOptions options_;
  std::int64_t batch_size_;
  MixtureSchedule schedule_;
};

}  // namespace meshwright::data
