// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tensor/copy_strided.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "meshwright/base/check.h"

namespace meshwright {
namespace {

// Merges dimensions that are adjacent in both arrays. Sorts by descending stride of the target.
std::vector<StridedDim> simplified(std::vector<StridedDim> dims) {
  std::erase_if(dims, [](const StridedDim& d) { return d.size == 1; });
  std::ranges::sort(dims, std::ranges::greater(), &StridedDim::to_stride);
  std::vector<StridedDim> out;
  for (const StridedDim& dim : dims) {
    const bool joins = !out.empty() && out.back().to_stride == dim.size * dim.to_stride &&
                       out.back().from_stride == dim.size * dim.from_stride;
    if (joins) {
      out.back() = {out.back().size * dim.size, dim.from_stride, dim.to_stride};
    } else {
      out.push_back(dim);
    }
  }
  return out;
}

// Copies the two innermost dimensions, one contiguous in `from` and one in `to`, in tiles that use
// the cache lines of both fully.
template <typename T>
void copy_plane(const T* from, T* to, const StridedDim& outer, const StridedDim& inner) {
  constexpr std::int64_t kTile = 32;
  for (std::int64_t i0 = 0; i0 < outer.size; i0 += kTile) {
    const std::int64_t i1 = std::min(i0 + kTile, outer.size);
    for (std::int64_t j0 = 0; j0 < inner.size; j0 += kTile) {
      const std::int64_t j1 = std::min(j0 + kTile, inner.size);
      for (std::int64_t i = i0; i < i1; ++i) {
        for (std::int64_t j = j0; j < j1; ++j)
          to[i * outer.to_stride + j * inner.to_stride] =
              from[i * outer.from_stride + j * inner.from_stride];
      }
    }
  }
}

// `dims` ends with the two dimensions of copy_plane, or with one that is contiguous in both.
template <typename T>
void copy_dims(const T* from, T* to, std::span<const StridedDim> dims) {
  const bool is_run = dims.back().from_stride == 1 && dims.back().to_stride == 1;
  if (dims.size() == 1 && is_run) {
    std::memcpy(to, from, static_cast<std::size_t>(dims[0].size) * sizeof(T));
  } else if (dims.size() == 1) {
    copy_plane(from, to, {.size = 1}, dims[0]);
  } else if (dims.size() == 2 && !is_run) {
    copy_plane(from, to, dims[0], dims[1]);
  } else {
    for (std::int64_t i = 0; i < dims[0].size; ++i)
      copy_dims(from + i * dims[0].from_stride, to + i * dims[0].to_stride, dims.subspan(1));
  }
}

template <typename T>
void copy_elements(const std::byte* from, std::byte* to, std::vector<StridedDim> dims) {
  // Moves the dimension that is contiguous in `from` next to the one that is contiguous in `to`.
  const auto adjacent = std::ranges::min_element(dims, {}, &StridedDim::from_stride);
  if (dims.size() > 2 && adjacent < dims.end() - 2)
    std::rotate(adjacent, adjacent + 1, dims.end() - 1);
  copy_dims(reinterpret_cast<const T*>(from), reinterpret_cast<T*>(to),
            std::span(std::as_const(dims)));
}

}  // namespace

void copy_strided(const std::byte* from,
                  std::byte* to,
                  std::vector<StridedDim> dims,
                  std::size_t element_bytes) {
  if (std::ranges::any_of(dims, [](const StridedDim& d) { return d.size == 0; })) return;
  dims = simplified(std::move(dims));
  if (dims.empty()) dims.push_back({.size = 1, .from_stride = 1, .to_stride = 1});
  switch (element_bytes) {
    case 1:
      return copy_elements<std::uint8_t>(from, to, std::move(dims));
    case 2:
      return copy_elements<std::uint16_t>(from, to, std::move(dims));
    case 4:
      return copy_elements<std::uint32_t>(from, to, std::move(dims));
    case 8:
      return copy_elements<std::uint64_t>(from, to, std::move(dims));
    case 16:
      return copy_elements<std::array<std::uint64_t, 2>>(from, to, std::move(dims));
    default:
      fail(ErrorCode::invalid_argument, "copy_strided: unsupported element size of ", element_bytes,
           " bytes");
  }
}

}  // namespace meshwright
