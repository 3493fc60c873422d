// SPDX-License-Identifier: Apache-2.0
// The data of a run: where batches come from.
//
// A Source is a pure function from a step number to a batch. It has no position: batch(k, rows)
// returns the same rows of batch k at any time, in any order and on any thread. The update from
// step k to k + 1 trains on batch k. Therefore
// - a run resumes at any step without replaying data,
// - each process reads only its own rows of the global batch (rows_of_process), so a run can
//   continue on a different number of processes,
// - a Prefetcher can make batches ahead of time on several threads.
//
// A Batch is a tree of named HostTensors whose first axis is "batch". The BatchSpec of a source
// states the name, dtype, shape and axes of every array of the global batch; programs are compiled
// for it. lm_batch.h, seq2seq_batch.h and image_batch.h name the arrays that the models expect. A
// padded batch has an array "example_weight" that is 0 for padding.
//
// A source is either endless or has num_batches() batches. If it has passes, batches_per_epoch() is
// their length. Its identity() states everything that determines its content. A checkpoint stores
// the identity and the number of batches used (state.h), so that resuming with different data is an
// error.
//
// Related files: combinators.h derives sources from others, integer_range.h checks tokens and
// labels, text_codec.h converts between text and tokens, source_config.h selects a source by its
// type in a config.
//
// Rules for a new source:
// - The constructor validates its options and throws invalid_argument. batch() depends only on its
//   arguments and on members that never change.
// - Row r of a batch does not depend on which other rows are requested. Draw random numbers by
//   folding the step and the row into a key (base/threefry.h), never from a generator with state.
// - The batches for given options never change between versions: old runs resume with them.
// - Test it with expect_pure() (source_testutil.h).
//
//   class Counter : public Source {
//    public:
//     Counter() { spec_["x"] = array_spec(s64, {8}, "batch"); }
//     std::string name() const override { return "counter"; }
//     const BatchSpec& spec() const override { return spec_; }
//     Tree<Scalar> identity() const override { return {}; }
//     Batch batch(std::int64_t step, Rows rows) const override {
//       std::vector<std::int64_t> x;
//       for (std::int64_t row = rows.start; row < rows.stop; ++row) x.push_back(8 * step + row);
//       Batch out;
//       out["x"] = HostTensor::from(x, {rows.size()});
//       return out;
//     }
//
//    private:
//     BatchSpec spec_;
//   };
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/base/scalar.h"
#include "meshwright/base/tree.h"
#include "meshwright/data/core/row_part.h"
#include "meshwright/tensor/axis_spec.h"
#include "meshwright/tensor/host_tensor.h"

namespace meshwright::data {

/// Named arrays whose first axis is the batch.
using Batch = Tree<HostTensor>;

/// Type of an array in a batch. The first axis is the batch.
struct ArraySpec {
  ArrayType type;
  std::vector<std::string> axes;  // the name of each dimension
  bool operator==(const ArraySpec&) const = default;
};
using BatchSpec = Tree<ArraySpec>;
/// Returns the spec for arguments such as (s32, {8, 128}, "batch len").
ArraySpec array_spec(DType dtype, Dims dims, AxisSpec axes);

/// Name of the first axis of every array.
inline constexpr std::string_view kBatchAxis = "batch";
/// Name of an array f32[batch] in batches that may be padded: 1 for examples, 0 for padding.
inline constexpr std::string_view kExampleWeight = "example_weight";

/// Rows [start, stop) of a batch.
struct Rows {
  std::int64_t start = 0;
  std::int64_t stop = 0;
  std::int64_t size() const { return stop - start; }
  bool operator==(const Rows&) const = default;
};

/// Returns the rows of each batch that a process reads. Throws invalid_argument if the number of
/// processes does not divide the batch size.
Rows rows_of_process(std::int64_t batch_size, int process, int num_processes);

/// Use of a named part of a source by a run.
struct PartUse {
  std::string part;
  std::int64_t num_examples = 0;
  /// Number of passes over the part's data, with the fraction of the current one; nullopt if it has
  /// no passes.
  std::optional<double> num_epochs = {};
  bool operator==(const PartUse&) const = default;
};

class Source {
 public:
  virtual ~Source() = default;

  /// Returns a name for messages: "arithmetic", "map(in_memory)".
  virtual std::string name() const = 0;
  /// Describes the arrays of a whole batch, over all processes.
  virtual const BatchSpec& spec() const = 0;
  /// Returns the number of batches, numbered from 0; nullopt if the source is endless.
  virtual std::optional<std::int64_t> num_batches() const { return std::nullopt; }
  /// Returns the number of batches in one pass over the data; nullopt if it has no passes.
  virtual std::optional<double> batches_per_epoch() const { return std::nullopt; }
  /// Returns everything that determines the batches: seed, batch size, a digest of the content.
  virtual Tree<Scalar> identity() const = 0;
  /// Returns what has changed since the source had another identity, such as the name of a file;
  /// empty if there is no more to say than identity() does.
  virtual std::string changes_since(const Tree<Scalar>& /*identity*/) const { return ""; }

  /// Returns the number of corrupt records that were skipped in the files of the data; nullopt if
  /// it has no records.
  virtual std::optional<std::int64_t> num_skipped_records() const { return std::nullopt; }

  /// Returns these rows of batch `step`. The update from step k to k + 1 trains on batch k. Must be
  /// pure and thread-safe.
  virtual Batch batch(std::int64_t step, Rows rows) const = 0;

  /// Returns the documents that a row of batch `step` is made of, in order. They hold the row's
  /// inputs and its last target. Empty for padding and for sources that do not read documents.
  virtual std::vector<RowPart> row_parts(std::int64_t /*step*/, std::int64_t /*row*/) const {
    return {};
  }

  /// Returns the name of the part of a mixture that a row of batch `step` comes from; empty for
  /// other sources.
  virtual std::string part_of_row(std::int64_t /*step*/, std::int64_t /*row*/) const { return ""; }
  /// Returns what the first `num_batches` batches take from each part of a mixture; empty for other
  /// sources.
  virtual std::vector<PartUse> uses(std::int64_t /*num_batches*/) const { return {}; }
};

/// Returns the number of rows in a whole batch. Throws invalid_argument unless all arrays in the
/// spec have the same number of rows and name their dimensions, starting with `batch`.
std::int64_t batch_size(const Source& source);
/// Returns the number of batches in one pass: batches_per_epoch() if present, otherwise
/// num_batches(). nullopt if the source has no passes.
std::optional<double> batches_per_pass(const Source& source);
/// Returns the number of examples in one pass; nullopt if the source has no passes.
std::optional<std::int64_t> examples_per_pass(const Source& source);
/// Returns the number of passes that `num_examples` examples make, with the fraction of the last;
/// nullopt if the source has no passes.
std::optional<double> passes(const Source& source, std::int64_t num_examples);
/// Returns batch `step` with the rows of all processes.
Batch whole_batch(const Source& source, std::int64_t step);
/// Throws invalid_argument, naming the source, unless `batch` matches the spec and has this number
/// of rows.
void check_batch(const Source& source, const Batch& batch, std::int64_t num_rows);

}  // namespace meshwright::data
