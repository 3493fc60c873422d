// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/restore/resize_axis.h"

#include <algorithm>
#include <cmath>

#include "meshwright/base/check.h"
#include "meshwright/tensor/float_cast.h"
#include "meshwright/tensor/ranges.h"

namespace meshwright::train {
namespace {

// Returns the only dimension in which the two differ.
std::size_t resized_dim(const Dims& source, const Dims& target, const std::string& path) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < std::min(source.size(), target.size()); ++i) {
    if (source[i] != target[i]) found.push_back(i);
  }
  MW_CHECK(source.size() == target.size() && found.size() == 1, "'", path,
           "': the source has positions ", ArrayType{f32, source}.dims, ", the target ", target,
           "; they may differ in one dimension");
  return found[0];
}

// Copies `part` of `from` to the same place in `to`, shifted by `shift` along a dimension.
void copy_part(const HostTensor& from, const Ranges& part, HostTensor& to, const Ranges& place) {
  HostTensor cut(ArrayType{from.dtype(), sizes_of(part)});
  const std::size_t bytes = from.num_bytes() / static_cast<std::size_t>(from.num_elements());
  copy_overlap(from.data(), whole_ranges(from.dims()), cut.mutable_data(), part, bytes);
  copy_overlap(cut.data(), place, to.mutable_data(), whole_ranges(to.dims()), bytes);
}

HostTensor truncated(const HostTensor& source, std::size_t dim, Range kept) {
  Ranges part = whole_ranges(source.dims());
  part[dim] = kept;
  HostTensor out(ArrayType{source.dtype(), sizes_of(part)});
  copy_part(source, part, out, whole_ranges(out.dims()));
  return out;
}

HostTensor with_prefix(const HostTensor& source, const HostTensor& target) {
  HostTensor out = float_cast(target, source.dtype());
  HostTensor copy(out.type());
  const Ranges all = whole_ranges(out.dims());
  copy_part(out, all, copy, all);
  copy_part(source, whole_ranges(source.dims()), copy, whole_ranges(source.dims()));
  return copy;
}

// weights[i * to + j] is the weight of source element i in result element j.
std::vector<double> linear_weights(std::int64_t from, std::int64_t to) {
  const double inverse_scale = static_cast<double>(from) / static_cast<double>(to);
  const double reach = std::max(inverse_scale, 1.0);
  std::vector<double> out(static_cast<std::size_t>(from * to));
  for (std::int64_t j = 0; j < to; ++j) {
    const double at = (static_cast<double>(j) + 0.5) * inverse_scale - 0.5;
    auto weight = [&](std::int64_t i) {
      return std::max(0.0, 1.0 - std::abs(at - static_cast<double>(i)) / reach);
    };
    double sum = 0;
    for (std::int64_t i = 0; i < from; ++i)
      sum += weight(i);
    for (std::int64_t i = 0; i < from; ++i)
      out[static_cast<std::size_t>(i * to + j)] = weight(i) / sum;
  }
  return out;
}

// Like linear_weights(), but for elements at cell corners: the first and the last stay in place.
std::vector<double> corner_weights(std::int64_t from, std::int64_t to) {
  std::vector<double> out(static_cast<std::size_t>(from * to));
  const double step = to == 1 ? 0.0 : static_cast<double>(from - 1) / static_cast<double>(to - 1);
  for (std::int64_t j = 0; j < to; ++j) {
    const double at = std::min(static_cast<double>(j) * step, static_cast<double>(from - 1));
    const auto before = static_cast<std::int64_t>(at);
    const double part = at - static_cast<double>(before);
    out[static_cast<std::size_t>(before * to + j)] = 1 - part;
    if (part > 0) out[static_cast<std::size_t>((before + 1) * to + j)] = part;
  }
  return out;
}

// Resizes a dimension to `size` elements, each a weighted sum of source elements. Computes in f64.
HostTensor weighted(const HostTensor& source,
                    std::size_t dim,
                    std::int64_t size,
                    const std::vector<double>& weights) {
  ArrayType type = source.type();
  const std::int64_t from = std::exchange(type.dims[dim], size);
  std::int64_t inner = 1;
  for (std::size_t i = dim + 1; i < type.dims.size(); ++i)
    inner *= type.dims[i];
  HostTensor out(type);
  std::span<const double> in = source.values<double>();
  std::span<double> result = out.mutable_values<double>();
  for (std::int64_t at = 0; at < out.num_elements(); ++at) {
    const std::int64_t outer = at / (inner * size);
    const std::int64_t j = at / inner % size;
    double sum = 0;
    for (std::int64_t i = 0; i < from; ++i) {
      sum += weights[static_cast<std::size_t>(i * size + j)] *
             in[static_cast<std::size_t>((outer * from + i) * inner + at % inner)];
    }
    result[static_cast<std::size_t>(at)] = sum;
  }
  return out;
}

HostTensor reshaped(const HostTensor& source, Dims dims) {
  HostTensor out(ArrayType{source.dtype(), std::move(dims)});
  std::ranges::copy(source.bytes(), out.mutable_data());
  return out;
}

// Returns the configured grid, or a square by default.
PatchGrid grid_of(const std::optional<PatchGrid>& said,
                  std::int64_t num_positions,
                  const std::string& path) {
  const std::int64_t side = std::llround(std::sqrt(static_cast<double>(num_positions)));
  const PatchGrid grid = said.value_or(PatchGrid{side, side});
  MW_CHECK(grid.rows * grid.columns == num_positions, "'", path, "': ", num_positions,
           " positions are not a grid of ", grid.rows, " rows and ", grid.columns, " columns",
           said ? "" : "\nset from_grid and grid");
  return grid;
}

}  // namespace

HostTensor interpolated(const HostTensor& source, std::size_t dim, std::int64_t size) {
  const std::vector<double> weights = linear_weights(source.dims()[dim], size);
  return float_cast(weighted(float_cast(source, f64), dim, size, weights), source.dtype());
}

HostTensor grid_interpolated(const HostTensor& source,
                             std::size_t dim,
                             const PatchGrid& from,
                             const PatchGrid& to) {
  Dims as_grid = source.dims();
  as_grid[dim] = from.rows;
  as_grid.insert(as_grid.begin() + static_cast<std::ptrdiff_t>(dim) + 1, from.columns);
  HostTensor out = reshaped(float_cast(source, f64), std::move(as_grid));
  out = weighted(out, dim, to.rows, corner_weights(from.rows, to.rows));
  out = weighted(out, dim + 1, to.columns, corner_weights(from.columns, to.columns));
  Dims in_rows = source.dims();
  in_rows[dim] = to.rows * to.columns;
  return float_cast(reshaped(out, std::move(in_rows)), source.dtype());
}

HostTensor resized(const HostTensor& source,
                   const StateArray& target,
                   const PositionResize& resize,
                   const std::string& path) {
  if (source.dims() == target.type.dims) {
    const PatchGrids& grids = resize.grids;
    MW_CHECK(!grids.source || !grids.target || *grids.source == *grids.target, "'", path,
             "': grids with equal numbers of positions must be equal");
    return source;
  }
  const std::size_t dim = resized_dim(source.dims(), target.type.dims, path);
  const std::int64_t there = source.dims()[dim];
  const std::int64_t wanted = target.type.dims[dim];
  switch (resize.strategy) {
    case PositionStrategy::truncate:
    case PositionStrategy::truncate_left: {
      MW_CHECK(wanted <= there, "'", path, "': ", wanted, " positions cannot be taken from ",
               there);
      const std::int64_t start = resize.strategy == PositionStrategy::truncate ? 0 : there - wanted;
      return truncated(source, dim, {start, start + wanted});
    }
    case PositionStrategy::interpolate:
      return interpolated(source, dim, wanted);
    case PositionStrategy::interpolate_grid:
      return grid_interpolated(source, dim, grid_of(resize.grids.source, there, path),
                               grid_of(resize.grids.target, wanted, path));
    case PositionStrategy::replace_target_prefix:
      MW_CHECK(there <= wanted, "'", path, "': the first of ", wanted,
               " positions cannot be replaced by ", there);
      return with_prefix(source, target.value.value());
    case PositionStrategy::keep_target:
      break;
  }
  return target.value.value();
}

}  // namespace meshwright::train
