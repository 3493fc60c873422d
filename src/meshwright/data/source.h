// SPDX-License-Identifier: Apache-2.0
// Where batches come from. Nothing is remembered between batches, so a run that is interrupted, or
// has another number of processes, continues with the same data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/base/scalar.h"
#include "meshwright/base/tree.h"
#include "meshwright/tensor/axis_spec.h"
#include "meshwright/tensor/host_tensor.h"

namespace meshwright::data {

/// Named arrays whose first axis is the batch.
using Batch = Tree<HostTensor>;

/// What is known of an array before it is there. The first axis is the batch.
struct ArraySpec {
  ArrayType type;
  std::vector<std::string> axes;  // the name of each dimension
  bool operator==(const ArraySpec&) const = default;
};
using BatchSpec = Tree<ArraySpec>;
/// array_spec(s32, {8, 128}, "batch len").
ArraySpec array_spec(DType dtype, Dims dims, AxisSpec axes);

/// The name of the first axis of every array.
inline constexpr std::string_view kBatchAxis = "batch";
/// An array f32[batch] in batches that may be padded: 1 for an example, 0 for padding.
inline constexpr std::string_view kExampleWeight = "example_weight";

/// Rows [start, stop) of a batch.
struct Rows {
  std::int64_t start = 0;
  std::int64_t stop = 0;
  std::int64_t size() const { return stop - start; }
  bool operator==(const Rows&) const = default;
};

/// The part of each batch that a process reads. Throws invalid_argument if the batch size is no
/// multiple of the number of processes.
Rows rows_of_process(std::int64_t batch_size, int process, int num_processes);

class Source {
 public:
  virtual ~Source() = default;

  /// For messages: "arithmetic", "map(in_memory)".
  virtual std::string name() const = 0;
  /// The arrays of a whole batch, of all processes together.
  virtual const BatchSpec& spec() const = 0;
  /// Batches 0 to num_batches() - 1 exist; absent: all do.
  virtual std::optional<std::int64_t> num_batches() const { return std::nullopt; }
  /// How many batches make one pass over the data; absent: there are no passes.
  virtual std::optional<double> batches_per_epoch() const { return std::nullopt; }
  /// Everything that decides which batches come: seed, batch size, a digest of the contents.
  virtual Tree<Scalar> identity() const = 0;

  /// These rows of batch number `step`, where training for the update from step k to k + 1 takes
  /// batch k. A pure function; several threads may call it at once.
  virtual Batch batch(std::int64_t step, Rows rows) const = 0;
};

/// The number of rows of a whole batch. Throws invalid_argument unless all arrays of the spec agree
/// on it and name their dimensions, the first one `batch`.
std::int64_t batch_size(const Source& source);
/// How many batches make one pass over the data: those of an epoch, or all there are; absent: the
/// source has no passes.
std::optional<double> batches_per_pass(const Source& source);
/// Batch number `step` of all processes together.
Batch whole_batch(const Source& source, std::int64_t step);
/// Throws invalid_argument, naming the source, unless `batch` has the arrays of the spec with this
/// many rows.
void check_batch(const Source& source, const Batch& batch, std::int64_t num_rows);

}  // namespace meshwright::data
