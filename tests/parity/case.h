// SPDX-License-Identifier: Apache-2.0
// A parity case: one graph function, a description of its arguments, and the same function in JAX.
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

/// An argument of a case. `sizes` is a list of numbers and names, "b 3 n". A name has one random
/// size in all arguments of its case, `many` that of Case::many.
struct Arg {
  enum class Kind { normal, uniform, integers, distinct };
  std::string sizes;
  Kind kind = Kind::normal;
  double low = 0;
  double high = 1;
  std::optional<DType> dtype;  // defaults to the dtype of the case
};

Arg normal(std::string_view sizes);
Arg uniform(std::string_view sizes, double low, double high);
/// Integers from low to high, both inclusive.
Arg integers(std::string_view sizes,
             std::int64_t low,
             std::int64_t high,
             std::optional<DType> dtype = s32);
Arg booleans(std::string_view sizes);
/// Distinct elements in random order, for ops whose result ties would make ambiguous.
Arg distinct(std::string_view sizes);

/// Sizes for element-wise functions: enough elements that XLA vectorises the computation, with a
/// remainder that it computes one by one with other code.
inline constexpr std::string_view kMany = "3 many";

inline const std::vector<DType> kFloats = {f32, bf16};
inline const std::vector<DType> kIntegers = {s32, u32, DType::s8, u8};
inline const std::vector<DType> kNumbers = {f32, bf16, s32};

struct Case {
  std::string name;
  std::vector<Arg> args;
  autodiff::Function build;
  /// A Python expression for the same function, which may use jax, jnp, lax and np. Returns a tuple
  /// if there are several results.
  std::string jax;
  bool gradient = true;
  std::vector<DType> dtypes = kFloats;
  double tolerance = 1;  // factor of the dtype's tolerance, for functions that amplify rounding
  bool on_mesh = false;  // on 8 devices, the mesh d=2,t=4; otherwise on one
  std::int64_t many = 1003;
};

/// Returns the mesh that the case runs on.
mesh::Mesh mesh_of(const Case& c);

/// Returns all cases: those of the functions <family>_cases() in the files cases_<family>.cc. New
/// files are found automatically (CMakeLists.txt).
std::vector<Case> all_cases();
/// Concatenates the lists.
std::vector<Case> joined(std::vector<std::vector<Case>> lists);

/// Returns arguments of random shapes and values for a case; equal seeds give equal tensors.
std::vector<HostTensor> draw_arguments(const Case& c, DType dtype, std::uint64_t seed);
/// Returns normally distributed numbers, rounded to the dtype.
HostTensor draw_normal(const ArrayType& type, std::mt19937_64& engine);

}  // namespace meshwright::parity
