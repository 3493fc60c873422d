// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/linear_handlers.h"

#include <utility>

#include "meshwright/kernels/matrix_product.h"

namespace meshwright::kernels {
namespace {

using pjrt::KernelCall;

std::int64_t product_of(std::span<const std::int64_t> dims) {
  std::int64_t product = 1;
  for (std::int64_t dim : dims)
    product *= dim;
  return product;
}

/// The last `num` dimensions of an array are one, and so are those before.
struct Flat {
  std::int64_t rows, columns;
};

template <typename Array>
Flat flat(const Array& array, std::int64_t num) {
  auto split = array.dims.size() - static_cast<std::size_t>(num);
  return {product_of(array.dims.first(split)), product_of(array.dims.subspan(split))};
}

/// Lines are rows, or columns.
Lines rows_of(const pjrt::KernelInput& array, const Flat& sizes) {
  return {array.data, array.dtype, true, sizes.columns};
}
Lines columns_of(const pjrt::KernelInput& array, const Flat& sizes) {
  return {array.data, array.dtype, false, sizes.columns};
}

/// The weight, which begins at one of its elements.
pjrt::KernelInput part_of_stack(pjrt::KernelInput weight, const KernelCall& call) {
  const auto at = call.attr<std::int64_t>("weight_at");
  weight.data += at * static_cast<std::ptrdiff_t>(byte_size(weight.dtype));
  return weight;
}

DType multiplied(DType a, DType b) {
  return a == bf16 || b == bf16 ? bf16 : f32;
}

struct Linear {
  static constexpr std::string_view kName = "mw_linear";
  static constexpr int kAbiVersion = 2;

  static void run(KernelCall& call) {
    const pjrt::KernelInput x = call.input(0);
    const pjrt::KernelOutput out = call.output(0);
    const bool is_transposed = call.attr<bool>("is_transposed");
    const auto num_in = call.attr<std::int64_t>("num_in"),
               num_out = call.attr<std::int64_t>("num_out");
    const Flat x_sizes = flat(x, num_in), out_sizes = flat(out, num_out);
    const Flat w_sizes = is_transposed ? Flat{out_sizes.columns, x_sizes.columns}
                                       : Flat{x_sizes.columns, out_sizes.columns};
    const pjrt::KernelInput weight = part_of_stack(call.input(1), call);
    MatrixProduct product{
        .rows = x_sizes.rows,
        .columns = out_sizes.columns,
        .inner = x_sizes.columns,
        .a = rows_of(x, x_sizes),
        .b = is_transposed ? rows_of(weight, w_sizes) : columns_of(weight, w_sizes),
        .dtype = multiplied(x.dtype, weight.dtype),
        .out_dtype = out.dtype,
        .out = out.data};
    if (call.num_inputs() > 2) {
      product.bias = call.input(2).data;
      product.bias_dtype = call.input(2).dtype;
    }
    multiply_matrices(product, &call);
  }
};

struct LinearGradient {
  static constexpr std::string_view kName = "mw_linear_gradient";
  static constexpr int kAbiVersion = 1;

  static void run(KernelCall& call) {
    const pjrt::KernelInput x = call.input(0), given = call.input(1);
    const pjrt::KernelOutput of_weight = call.output(0);
    const bool is_transposed = call.attr<bool>("is_transposed");
    const Flat x_sizes = flat(x, call.attr<std::int64_t>("num_in"));
    const Flat given_sizes = flat(given, call.attr<std::int64_t>("num_out"));
    MatrixProduct product{.rows = x_sizes.columns,
                          .columns = given_sizes.columns,
                          .inner = x_sizes.rows,
                          .a = columns_of(x, x_sizes),
                          .b = columns_of(given, given_sizes),
                          .dtype = multiplied(x.dtype, given.dtype),
                          .out_dtype = of_weight.dtype,
                          .out = of_weight.data};
    if (is_transposed) {
      std::swap(product.a, product.b);
      std::swap(product.rows, product.columns);
    } else if (call.num_outputs() > 1) {
      product.b_sums = call.output(1).values<float>().data();
    }
    multiply_matrices(product, &call);
  }
};

}  // namespace

constexpr pjrt::Kernel kLinearHandler = pjrt::kernel<Linear>();
constexpr pjrt::Kernel kLinearGradientHandler = pjrt::kernel<LinearGradient>();

}  // namespace meshwright::kernels
