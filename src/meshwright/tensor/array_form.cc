// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tensor/array_form.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/tensor/copy_strided.h"

namespace meshwright {
namespace {

using Span = ArrayForm::Span;

template <typename T>
auto at(std::vector<T>& values, std::size_t dim) {
  return values.begin() + static_cast<std::ptrdiff_t>(dim);
}

template <typename T>
std::vector<T> ordered(const ArrayForm& form, std::vector<T> ours) {
  MW_CHECK(form.order.empty() || form.order.size() == ours.size(), "the layout of '", form.path,
           "' has ", form.order.size(), " dimensions, the array has ", ours.size());
  if (form.order.empty()) return ours;
  std::vector<T> out;
  for (const std::size_t d : form.order)
    out.push_back(ours.at(d));
  return out;
}

// Returns our dimension at this place after the ordering.
std::size_t dim_of_ours(const ArrayForm& form, std::size_t ordered_dim) {
  return form.order.empty() ? ordered_dim : form.order.at(ordered_dim);
}

std::size_t num_dims_in(const Span& span) {
  return span.inner == 0 ? 1 : 2;
}

// Returns one entry per foreign dimension. `at_span` replaces the entries of merged dimensions.
template <typename T>
std::vector<T> in_their_order(const ArrayForm& form, std::vector<T> ours, T at_slice, T at_span) {
  std::vector<T> out = ordered(form, std::move(ours));
  if (form.span) {
    const std::size_t end = form.span->dim + num_dims_in(*form.span);
    MW_CHECK(end <= out.size(), "the layout of '", form.path, "' needs at least ", end,
             " dimensions, the array has ", out.size());
    out.erase(at(out, form.span->dim + 1), at(out, end));
    out[form.span->dim] = at_span;
  }
  if (form.slice) out.insert(at(out, form.slice->dim), at_slice);
  return out;
}

Range range_in_span(const Span& span, const Range& outer, const Range& inner) {
  if (outer.size() == 0 || inner.size() == 0) return {span.start, span.start};
  if (span.inner == 0) return {span.start + outer.start, span.start + outer.stop};
  return {span.start + outer.start * span.inner + inner.start,
          span.start + (outer.stop - 1) * span.inner + inner.stop};
}

// Returns the size in our dimensions of `size` elements of a span.
Dims span_sizes(const Span& span, std::int64_t size) {
  if (span.inner == 0) return {size};
  return {std::max(size / span.inner, std::int64_t{1}), std::min(size, span.inner)};
}

// `size_in_span`: the size along the dimension of the span, if only a part of it.
Dims in_our_order(const ArrayForm& form,
                  const Dims& theirs,
                  std::optional<std::int64_t> size_in_span) {
  Dims rest = theirs;
  auto check_has = [&](std::size_t dim) {
    MW_CHECK(dim < rest.size(), "'", form.path, "' has dimensions ", theirs, ", but no dimension ",
             dim);
  };
  if (form.slice) {
    check_has(form.slice->dim);
    rest.erase(at(rest, form.slice->dim));
  }
  if (form.span) {
    const std::size_t dim = form.span->dim;
    check_has(dim);
    const Dims sizes = span_sizes(*form.span, size_in_span.value_or(rest[dim]));
    rest.erase(at(rest, dim));
    rest.insert(at(rest, dim), sizes.begin(), sizes.end());
  }
  if (form.order.empty()) return rest;
  MW_CHECK(rest.size() == form.order.size(), "'", form.path, "' has dimensions ", theirs,
           ", expected ", form.order.size() + theirs.size() - rest.size(), " dimensions");
  Dims out(rest.size());
  for (std::size_t d = 0; d < rest.size(); ++d)
    out[form.order[d]] = rest[d];
  return out;
}

}  // namespace

Dims their_dims(const ArrayForm& form, const Dims& ours) {
  return in_their_order(form, ours, form.slice ? form.slice->count : 0,
                        form.span ? form.span->count : 0);
}

Ranges their_ranges(const ArrayForm& form, const Ranges& ours) {
  const std::int64_t index = form.slice ? form.slice->index : 0;
  Range together;
  if (form.span) {
    const std::size_t dim = form.span->dim;
    const Range inner = form.span->inner > 0 ? ours.at(dim_of_ours(form, dim + 1)) : Range{0, 1};
    together = range_in_span(*form.span, ours.at(dim_of_ours(form, dim)), inner);
  }
  return in_their_order(form, ours, Range{index, index + 1}, together);
}

std::vector<Ranges> split_for_theirs(const ArrayForm& form, const Ranges& ours) {
  if (!form.span || form.span->inner == 0) return {ours};
  const std::size_t rows = dim_of_ours(form, form.span->dim);
  const std::size_t inner = dim_of_ours(form, form.span->dim + 1);
  if (ours.at(inner).size() == form.span->inner || ours.at(rows).size() <= 1) return {ours};
  std::vector<Ranges> out;
  for (std::int64_t row = ours[rows].start; row < ours[rows].stop; ++row) {
    out.push_back(ours);
    out.back()[rows] = {row, row + 1};
  }
  return out;
}

Dims our_dims(const ArrayForm& form, const Dims& theirs) {
  return in_our_order(form, theirs, form.span ? std::optional(form.span->size) : std::nullopt);
}

Dims their_part(const ArrayForm& form, const Dims& ours) {
  std::int64_t together = 0;
  if (form.span) {
    const Span& span = *form.span;
    together = ours.at(dim_of_ours(form, span.dim));
    if (span.inner > 0) {
      const std::int64_t in_row = ours.at(dim_of_ours(form, span.dim + 1));
      together = in_row == span.inner ? together * span.inner : std::gcd(in_row, span.inner);
    }
    together = std::gcd(together, span.start);
  }
  return in_their_order(form, ours, std::int64_t{1}, together);
}

Dims our_part(const ArrayForm& form, const Dims& theirs) {
  return in_our_order(form, theirs, std::nullopt);
}

void copy_to_theirs(const ArrayForm& form,
                    const Dims& ours,
                    const std::byte* from,
                    std::byte* to,
                    std::size_t element_bytes) {
  const Dims sizes = ordered(form, ours);
  const Dims from_strides = ordered(form, row_major_strides(ours));
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
  const ArrayForm only_order{.path = form.path, .order = form.order};
  const Dims sizes = sizes_of(part);
  const Dims from_strides = our_dims(only_order, row_major_strides(ordered(form, sizes)));
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
