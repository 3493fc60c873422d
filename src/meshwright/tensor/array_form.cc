// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tensor/array_form.h"

#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/tensor/copy_strided.h"

namespace meshwright {
namespace {

// One entry for each of their dimensions.
template <typename T>
std::vector<T> in_their_order(const ArrayForm& form, std::vector<T> ours, T at_slice) {
  MW_CHECK(form.order.empty() || form.order.size() == ours.size(), "the form of '", form.path,
           "' is one of ", form.order.size(), " dimensions, not of ", ours.size());
  std::vector<T> out;
  for (const std::size_t d : form.order)
    out.push_back(ours.at(d));
  if (form.order.empty()) out = std::move(ours);
  if (form.slice) out.insert(out.begin() + static_cast<std::ptrdiff_t>(form.slice->dim), at_slice);
  return out;
}

}  // namespace

Dims their_dims(const ArrayForm& form, const Dims& ours) {
  return in_their_order(form, ours, form.slice ? form.slice->count : 0);
}

Ranges their_ranges(const ArrayForm& form, const Ranges& ours) {
  const std::int64_t index = form.slice ? form.slice->index : 0;
  return in_their_order(form, ours, Range{index, index + 1});
}

Dims our_dims(const ArrayForm& form, const Dims& theirs) {
  Dims rest = theirs;
  if (form.slice) {
    MW_CHECK(form.slice->dim < theirs.size(), "'", form.path, "' has dimensions ", theirs,
             " and none at ", form.slice->dim);
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(form.slice->dim));
  }
  if (form.order.empty()) return rest;
  MW_CHECK(rest.size() == form.order.size(), "'", form.path, "' has dimensions ", theirs, " where ",
           form.order.size() + (form.slice ? 1 : 0), " are expected");
  Dims out(rest.size());
  for (std::size_t d = 0; d < rest.size(); ++d)
    out[form.order[d]] = rest[d];
  return out;
}

void copy_to_theirs(const ArrayForm& form,
                    const Dims& ours,
                    const std::byte* from,
                    std::byte* to,
                    std::size_t element_bytes) {
  const ArrayForm whole{.path = form.path, .order = form.order};
  const Dims sizes = their_dims(whole, ours);
  const Dims from_strides = their_dims(whole, row_major_strides(ours));
  const Dims to_strides = row_major_strides(sizes);
  std::vector<StridedDim> dims;
  for (std::size_t d = 0; d < sizes.size(); ++d)
    dims.push_back({sizes[d], from_strides[d], to_strides[d]});
  copy_strided(from, to, std::move(dims), element_bytes);
}

void copy_to_ours(const ArrayForm& form,
                  const Ranges& part,
                  const std::byte* from,
                  const Ranges& target,
                  std::byte* to,
                  std::size_t element_bytes) {
  const ArrayForm whole{.path = form.path, .order = form.order};
  const Dims sizes = sizes_of(part);
  const Dims from_strides = our_dims(whole, row_major_strides(their_dims(whole, sizes)));
  const Dims to_strides = row_major_strides(sizes_of(target));
  std::vector<StridedDim> dims;
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    dims.push_back({sizes[d], from_strides[d], to_strides[d]});
    offset += (part[d].start - target[d].start) * to_strides[d];
  }
  copy_strided(from, to + offset * static_cast<std::int64_t>(element_bytes), std::move(dims),
               element_bytes);
}

}  // namespace meshwright
