// SPDX-License-Identifier: Apache-2.0
// How another system names and lays out an array of ours.
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
  std::string path;  // theirs
  /// Their dimension d is our dimension order[d]; empty: all as ours.
  std::vector<std::size_t> order = {};
  /// They have one dimension more, after the ordering, and ours is what lies at one index of it.
  struct Slice {
    std::size_t dim = 0;
    std::int64_t index = 0;
    std::int64_t count = 1;
  };
  std::optional<Slice> slice = {};
  /// Their dimension `dim`, before a slice adds one, is our `dim` after the ordering, together with
  /// the next one where `inner` is not 0: row by row, `inner` to a row. Of its `count` elements
  /// ours are `size` from `start` on.
  struct Span {
    std::size_t dim = 0;
    std::int64_t inner = 0;
    std::int64_t start = 0;
    std::int64_t size = 0;
    std::int64_t count = 0;
  };
  std::optional<Span> span = {};
  /// Where they have the same once more. It is written there too, and read from the first.
  std::vector<ArrayForm> copies = {};
};

/// By our paths.
using ArrayForms = std::map<std::string, ArrayForm>;

/// What is ours, in theirs. Throws invalid_argument for another number of dimensions.
Dims their_dims(const ArrayForm& form, const Dims& ours);
/// Of a part that is one part of theirs too.
Ranges their_ranges(const ArrayForm& form, const Ranges& ours);
/// What a part of ours consists of, each of which is one part of theirs; mostly itself.
std::vector<Ranges> split_for_theirs(const ArrayForm& form, const Ranges& ours);
/// What they have, in ours. Throws invalid_argument for another number of dimensions.
Dims our_dims(const ArrayForm& form, const Dims& theirs);
/// Of equal parts: where ours are cut theirs can be too; and sizes of ours that are about theirs.
Dims their_part(const ArrayForm& form, const Dims& ours);
Dims our_part(const ArrayForm& form, const Dims& theirs);

/// The elements of ours in their order, and back into a part of an array of ours. Both of a part
/// that is one part of theirs.
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
