// SPDX-License-Identifier: Apache-2.0
// A parity case: one graph function, how to draw its arguments, and the same function in JAX.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/autodiff/function.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/mesh/mesh.h"
#include "meshwright/tensor/host_tensor.h"

namespace meshwright::parity {

using graph::Value;

/// An argument of a case. `sizes` is a list of numbers and names, "b 3 n"; a name has one random
/// size in all arguments of its case, `many` that of Case::many.
struct Arg {
  enum class Kind { normal, uniform, integers, distinct };
  std::string sizes;
  Kind kind = Kind::normal;
  double low = 0;
  double high = 1;
  std::optional<DType> dtype;  // absent: the dtype that the case runs in
};

Arg normal(std::string_view sizes);
Arg uniform(std::string_view sizes, double low, double high);
/// Whole numbers from low to high, both included.
Arg integers(std::string_view sizes,
             std::int64_t low,
             std::int64_t high,
             std::optional<DType> dtype = s32);
Arg booleans(std::string_view sizes);
/// No two elements equal, in random order: for ops where ties would leave the result open.
Arg distinct(std::string_view sizes);

/// Sizes for element-wise functions: XLA computes so many elements in vectors, with other code than
/// few, and the last ones, which fill no vector, one by one.
inline constexpr std::string_view kMany = "3 many";

inline const std::vector<DType> kFloats = {f32, bf16};
inline const std::vector<DType> kIntegers = {s32, u32, DType::s8, u8};
inline const std::vector<DType> kNumbers = {f32, bf16, s32};

struct Case {
  std::string name;
  std::vector<Arg> args;
  autodiff::Function build;
  /// A Python expression for the same function; sees jax, jnp, lax and np. With several results it
  /// gives a tuple.
  std::string jax;
  bool gradient = true;
  std::vector<DType> dtypes = kFloats;
  double tolerance = 1;  // times the tolerance of the dtype, for functions that amplify rounding
  bool on_mesh = false;  // on 8 devices, the mesh d=2,t=4; else on one
  std::int64_t many = 1003;
};

/// The mesh that the case runs on.
mesh::Mesh mesh_of(const Case& c);

/// All families: what the functions <family>_cases() of the files cases_<family>.cc return. A new
/// file is found by itself (CMakeLists.txt).
std::vector<Case> all_cases();
/// The lists one after the other.
std::vector<Case> joined(std::vector<std::vector<Case>> lists);

/// Shapes and values of the arguments of a case; equal seeds give equal tensors.
std::vector<HostTensor> draw_arguments(const Case& c, DType dtype, std::uint64_t seed);
/// Normally distributed numbers, rounded to the dtype.
HostTensor draw_normal(const ArrayType& type, std::mt19937_64& engine);

}  // namespace meshwright::parity
