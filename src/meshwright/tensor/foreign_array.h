// SPDX-License-Identifier: Apache-2.0
// How another system names and lays out an array that Meshwright knows by its native path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/tensor/ranges.h"
#include "meshwright/tensor/shape.h"

namespace meshwright {

struct ForeignArray {
  std::string path;  // path in the foreign system
  /// Foreign dimension d is native dimension order[d]. If empty, the order is the same.
  std::vector<std::size_t> order = {};
  /// The foreign array has one more dimension, added after the ordering; the native array is the
  /// slice at `index`.
  struct Slice {
    std::size_t dim = 0;
    std::int64_t index = 0;
    std::int64_t count = 1;
  };
  std::optional<Slice> slice = {};
  /// The foreign dimension `dim`, counted before a slice adds a dimension, is the native dimension
  /// `dim` after the ordering, merged row-major with the next dimensions, whose sizes are `inner`.
  /// The native elements are `size` of its `count` elements, starting at `start`.
  struct Span {
    std::size_t dim = 0;
    Dims inner = {};
    std::int64_t start = 0;
    std::int64_t size = 0;
    std::int64_t count = 0;
  };
  std::optional<Span> span = {};
  /// Further foreign arrays with the same content. All are written, but only the first one is read.
  std::vector<ForeignArray> copies = {};
  /// If not 0, each row of the native array, that is, each element of its first dimension, is a
  /// foreign array. `path` has a '#' for the number of the row; everything else describes one row.
  std::int64_t num_rows = 0;
  /// If not empty, the path where a variant of the model stores all rows in one array, with one
  /// more dimension in front. Only read, and only if the first row is missing.
  std::string path_of_all_rows = {};
  /// True if one element, [1], stands for an array that is not used. It is stored once natively,
  /// and for each row in the foreign system.
  bool may_be_unused = false;
};

/// Keyed by native path.
using ForeignArrays = std::map<std::string, ForeignArray>;

/// Returns the layouts of the rows, as arrays without the first native dimension; the layout itself
/// if it has no rows.
std::vector<ForeignArray> rows_of(const ForeignArray& layout);

/// Returns the layout of the array at `path_of_all_rows`.
ForeignArray all_rows_of(const ForeignArray& layout);

/// Returns the foreign shape. Throws invalid_argument if the number of dimensions does not match.
Dims foreign_dims(const ForeignArray& layout, const Dims& native);
/// Converts a native range that is contiguous in the foreign array.
Ranges foreign_ranges(const ForeignArray& layout, const Ranges& native);
/// Splits a native range into ranges that are each contiguous in the foreign array; usually just
/// itself.
std::vector<Ranges> split_for_foreign(const ForeignArray& layout, const Ranges& native);
/// Returns the native shape. Throws invalid_argument if the number of dimensions does not match.
Dims native_dims(const ForeignArray& layout, const Dims& foreign);
/// Convert the shape of equal parts: foreign_part() returns a foreign part that can be cut wherever
/// the native one can, and native_part() returns a native part of about the foreign size.
Dims foreign_part(const ForeignArray& layout, const Dims& native);
Dims native_part(const ForeignArray& layout, const Dims& foreign);

/// Copy the elements of a part between the native order and the foreign one. The part must be
/// contiguous in the foreign array.
void copy_to_foreign(const ForeignArray& layout,
                     const Dims& native,
                     const std::byte* from,
                     std::byte* to,
                     std::size_t element_bytes);
void copy_from_foreign(const ForeignArray& layout,
                       const Ranges& part,
                       const std::byte* from,
                       const Ranges& target,
                       std::byte* to,
                       std::size_t element_bytes);

}  // namespace meshwright
