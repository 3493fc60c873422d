// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tensor/foreign_array.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/tensor/copy_strided.h"

namespace meshwright {
namespace {

using Span = ForeignArray::Span;

template <typename T>
auto at(std::vector<T>& values, std::size_t dim) {
  return values.begin() + static_cast<std::ptrdiff_t>(dim);
}

template <typename T>
std::vector<T> ordered(const ForeignArray& layout, std::vector<T> native) {
  MW_CHECK(layout.order.empty() || layout.order.size() == native.size(), "the layout of '",
           layout.path, "' has ", layout.order.size(), " dimensions, the array has ",
           native.size());
  if (layout.order.empty()) return native;
  std::vector<T> out;
  for (const std::size_t d : layout.order)
    out.push_back(native.at(d));
  return out;
}

// Returns the native dimension at this place after the ordering.
std::size_t native_dim_at(const ForeignArray& layout, std::size_t ordered_dim) {
  return layout.order.empty() ? ordered_dim : layout.order.at(ordered_dim);
}

std::size_t num_dims_in(const Span& span) {
  return 1 + span.inner.size();
}

// Returns the number of elements of the span per step of each of its dimensions.
Dims strides_in(const Span& span) {
  Dims out(num_dims_in(span), 1);
  for (std::size_t d = span.inner.size(); d > 0; --d)
    out[d - 1] = out[d] * span.inner[d - 1];
  return out;
}

// Returns one entry per foreign dimension. `at_span` replaces the entries of merged dimensions.
template <typename T>
std::vector<T> in_foreign_order(const ForeignArray& layout,
                                std::vector<T> native,
                                T at_slice,
                                T at_span) {
  std::vector<T> out = ordered(layout, std::move(native));
  if (layout.span) {
    const std::size_t end = layout.span->dim + num_dims_in(*layout.span);
    MW_CHECK(end <= out.size(), "the layout of '", layout.path, "' needs at least ", end,
             " dimensions, the array has ", out.size());
    out.erase(at(out, layout.span->dim + 1), at(out, end));
    out[layout.span->dim] = at_span;
  }
  if (layout.slice) out.insert(at(out, layout.slice->dim), at_slice);
  return out;
}

// `native`: a range per dimension of the span; contiguous together.
Range range_in_span(const Span& span, const Ranges& native) {
  const Dims strides = strides_in(span);
  std::int64_t first = span.start, last = span.start;
  for (std::size_t d = 0; d < native.size(); ++d) {
    if (native[d].size() == 0) return {span.start, span.start};
    first += native[d].start * strides[d];
    last += (native[d].stop - 1) * strides[d];
  }
  return {first, last + 1};
}

// Returns the size in native dimensions of `size` elements of a span.
Dims span_sizes(const Span& span, std::int64_t size) {
  const Dims strides = strides_in(span);
  Dims out = {span.inner.empty() ? size : std::max(size / strides[0], std::int64_t{1})};
  for (std::size_t d = 1; d < strides.size(); ++d)
    out.push_back(std::clamp(size / strides[d], std::int64_t{1}, span.inner[d - 1]));
  return out;
}

// `size_in_span`: the number of elements in the span, if it is only a part of its dimension.
Dims in_native_order(const ForeignArray& layout,
                     const Dims& foreign,
                     std::optional<std::int64_t> size_in_span) {
  Dims rest = foreign;
  auto check_has = [&](std::size_t dim) {
    MW_CHECK(dim < rest.size(), "'", layout.path, "' has dimensions ", foreign,
             ", but no dimension ", dim);
  };
  if (layout.slice) {
    check_has(layout.slice->dim);
    rest.erase(at(rest, layout.slice->dim));
  }
  if (layout.span) {
    const std::size_t dim = layout.span->dim;
    check_has(dim);
    const Dims sizes = span_sizes(*layout.span, size_in_span.value_or(rest[dim]));
    rest.erase(at(rest, dim));
    rest.insert(at(rest, dim), sizes.begin(), sizes.end());
  }
  if (layout.order.empty()) return rest;
  MW_CHECK(rest.size() == layout.order.size(), "'", layout.path, "' has dimensions ", foreign,
           ", expected ", layout.order.size() + foreign.size() - rest.size(), " dimensions");
  Dims out(rest.size());
  for (std::size_t d = 0; d < rest.size(); ++d)
    out[layout.order[d]] = rest[d];
  return out;
}

// Returns the entries of the span's dimensions.
template <typename T>
std::vector<T> of_span(const ForeignArray& layout, const std::vector<T>& native) {
  std::vector<T> out;
  for (std::size_t d = 0; d < num_dims_in(*layout.span); ++d)
    out.push_back(native.at(native_dim_at(layout, layout.span->dim + d)));
  return out;
}

// Returns the first dimension of the span along which the ranges are not contiguous.
std::optional<std::size_t> find_gap(const Span& span, const Ranges& native) {
  for (std::size_t d = 0; d < span.inner.size(); ++d) {
    if (native[d].size() <= 1) continue;
    for (std::size_t later = d; later < span.inner.size(); ++later)
      if (native[later + 1].size() != span.inner[later]) return d;
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

Dims foreign_dims(const ForeignArray& layout, const Dims& native) {
  return in_foreign_order(layout, native, layout.slice ? layout.slice->count : 0,
                          layout.span ? layout.span->count : 0);
}

std::vector<ForeignArray> rows_of(const ForeignArray& layout) {
  if (layout.num_rows == 0) return {layout};
  std::vector<ForeignArray> out;
  for (std::int64_t row = 0; row < layout.num_rows; ++row) {
    out.push_back(layout);
    out.back().num_rows = 0;
    out.back().path.replace(layout.path.find('#'), 1, std::to_string(row));
  }
  return out;
}

ForeignArray all_rows_of(const ForeignArray& layout) {
  ForeignArray out = layout;
  out.path = layout.path_of_all_rows;
  out.path_of_all_rows.clear();
  out.num_rows = 0;
  for (std::size_t& dim : out.order)
    ++dim;
  if (!out.order.empty()) out.order.insert(out.order.begin(), 0);
  if (out.slice) ++out.slice->dim;
  if (out.span) ++out.span->dim;
  return out;
}

Ranges foreign_ranges(const ForeignArray& layout, const Ranges& native) {
  const std::int64_t index = layout.slice ? layout.slice->index : 0;
  Range together;
  if (layout.span) together = range_in_span(*layout.span, of_span(layout, native));
  return in_foreign_order(layout, native, Range{index, index + 1}, together);
}

std::vector<Ranges> split_for_foreign(const ForeignArray& layout, const Ranges& native) {
  if (!layout.span) return {native};
  const std::optional<std::size_t> gap = find_gap(*layout.span, of_span(layout, native));
  if (!gap) return {native};
  const std::size_t dim = native_dim_at(layout, layout.span->dim + *gap);
  std::vector<Ranges> out;
  for (std::int64_t i = native[dim].start; i < native[dim].stop; ++i) {
    Ranges one = native;
    one[dim] = {i, i + 1};
    for (Ranges& piece : split_for_foreign(layout, one))
      out.push_back(std::move(piece));
  }
  return out;
}

Dims native_dims(const ForeignArray& layout, const Dims& foreign) {
  return in_native_order(layout, foreign,
                         layout.span ? std::optional(layout.span->size) : std::nullopt);
}

Dims foreign_part(const ForeignArray& layout, const Dims& native) {
  std::int64_t together = 0;
  if (layout.span) {
    const Span& span = *layout.span;
    const Dims sizes = of_span(layout, native);
    together = 1;
    std::size_t d = span.inner.size();
    for (; d > 0 && sizes[d] == span.inner[d - 1]; --d)
      together *= sizes[d];
    together *= d == 0 ? sizes[0] : std::gcd(sizes[d], span.inner[d - 1]);
    together = std::gcd(together, span.start);
  }
  return in_foreign_order(layout, native, std::int64_t{1}, together);
}

Dims native_part(const ForeignArray& layout, const Dims& foreign) {
  return in_native_order(layout, foreign, std::nullopt);
}

void copy_to_foreign(const ForeignArray& layout,
                     const Dims& native,
                     const std::byte* from,
                     std::byte* to,
                     std::size_t element_bytes) {
  const Dims sizes = ordered(layout, native);
  const Dims from_strides = ordered(layout, row_major_strides(native));
  const Dims to_strides = row_major_strides(sizes);
  std::vector<StridedDim> dims;
  for (std::size_t d = 0; d < sizes.size(); ++d)
    dims.push_back({sizes[d], from_strides[d], to_strides[d]});
  copy_strided(from, to, std::move(dims), element_bytes);
}

void copy_from_foreign(const ForeignArray& layout,
                       const Ranges& part,
                       const std::byte* from,
                       const Ranges& target,
                       std::byte* to,
                       std::size_t element_bytes) {
  const ForeignArray only_order{.path = layout.path, .order = layout.order};
  const Dims sizes = sizes_of(part);
  const Dims from_strides = native_dims(only_order, row_major_strides(ordered(layout, sizes)));
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
