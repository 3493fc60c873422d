// SPDX-License-Identifier: Apache-2.0
// How a foreign system names and lays out one of our arrays. "Ours" is the native array, "theirs"
// the foreign one.
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

struct ArrayForm {
  std::string path;  // path in the foreign system
  /// Foreign dimension d is our dimension order[d]. Empty: same order.
  std::vector<std::size_t> order = {};
  /// The foreign array has one more dimension, added after the ordering; our array is one index of
  /// it.
  struct Slice {
    std::size_t dim = 0;
    std::int64_t index = 0;
    std::int64_t count = 1;
  };
  std::optional<Slice> slice = {};
  /// The foreign dimension `dim`, counted before a slice adds one, is our dimension `dim` after the
  /// ordering. If `inner` is not 0, it is that dimension merged with the next one, row-major with
  /// `inner` elements per row. Our elements are `size` of its `count`, from `start` on.
  struct Span {
    std::size_t dim = 0;
    std::int64_t inner = 0;
    std::int64_t start = 0;
    std::int64_t size = 0;
    std::int64_t count = 0;
  };
  std::optional<Span> span = {};
  /// Further foreign arrays with the same content. All are written; the first one is read.
  std::vector<ArrayForm> copies = {};
};

/// Keyed by our paths.
using ArrayForms = std::map<std::string, ArrayForm>;

/// Returns the foreign shape. Throws invalid_argument if the number of dimensions does not match.
Dims their_dims(const ArrayForm& form, const Dims& ours);
/// Converts a range of ours that is contiguous in the foreign array.
Ranges their_ranges(const ArrayForm& form, const Ranges& ours);
/// Splits a range of ours into ranges that are each contiguous in the foreign array; usually just
/// itself.
std::vector<Ranges> split_for_theirs(const ArrayForm& form, const Ranges& ours);
/// Returns our shape. Throws invalid_argument if the number of dimensions does not match.
Dims our_dims(const ArrayForm& form, const Dims& theirs);
/// Convert the shape of equal parts: their_part() returns a foreign part that can be cut wherever
/// ours can, our_part() returns a part of ours of about the foreign size.
Dims their_part(const ArrayForm& form, const Dims& ours);
Dims our_part(const ArrayForm& form, const Dims& theirs);

/// Copy the elements of a part between our order and the foreign one. The part must be contiguous
/// in the foreign array.
void copy_to_theirs(const ArrayForm& form,
                    const Dims& ours,
                    const std::byte* from,
                    std::byte* to,
                    std::size_t element_bytes);
void copy_to_ours(const ArrayForm& form,
                  const Ranges& part,
                  const std::byte* from,
                  const Ranges& target,
                  std::byte* to,
                  std::size_t element_bytes);

}  // namespace meshwright
