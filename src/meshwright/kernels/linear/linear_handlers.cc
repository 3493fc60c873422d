// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/linear/linear_handlers.h"

#include <optional>
#include <utility>

#include "meshwright/kernels/linear/linear_formula.h"
#include "meshwright/kernels/product/matrix_product.h"

namespace meshwright::kernels {
namespace {

using pjrt::KernelCall;

std::int64_t product_of(std::span<const std::int64_t> dims) {
  std::int64_t product = 1;
  for (std::int64_t dim : dims)
    product *= dim;
  return product;
}

/// The shape of an array viewed as a matrix.
struct Flat {
  std::int64_t rows, columns;
};

template <typename Array>
Flat flat(const Array& array, std::int64_t num) {
  auto split = array.dims.size() - static_cast<std::size_t>(num);
  return {product_of(array.dims.first(split)), product_of(array.dims.subspan(split))};
}

/// Returns the rows, or the columns, of the matrix as lines.
Lines rows_of(const pjrt::KernelInput& array, const Flat& sizes) {
  return {array.data, array.dtype, true, sizes.columns};
}
Lines columns_of(const pjrt::KernelInput& array, const Flat& sizes) {
  return {array.data, array.dtype, false, sizes.columns};
}

/// Returns the weight of this call, which starts `weight_at` elements into the operand.
pjrt::KernelInput slice_of_stack(pjrt::KernelInput weight, const KernelCall& call) {
  const auto at = call.attr<std::int64_t>("weight_at");
  weight.data += at * static_cast<std::ptrdiff_t>(byte_size(weight.dtype));
  return weight;
}

std::optional<Activation> activation_of(const KernelCall& call) {
  const auto number = call.attr<std::int64_t>("activation");
  return number < 0 ? std::nullopt : std::optional(static_cast<Activation>(number));
}

/// Optional inputs, in order. An input is present if the attribute of its name is true.
class Extras {
 public:
  Extras(const KernelCall& call, int first) : call_(call), next_(first) {}

  /// Returns the next input; its `data` is null if absent.
  pjrt::KernelInput take(std::string_view name) {
    return call_.attr<bool>(name) ? call_.input(next_++) : pjrt::KernelInput();
  }

 private:
  const KernelCall& call_;
  int next_;
};

struct Linear {
  static constexpr std::string_view kName = "mw_linear";
  static constexpr int kAbiVersion = 3;

  static void run(KernelCall& call) {
    const pjrt::KernelInput x = call.input(0);
    const pjrt::KernelOutput out = call.output(0);
    const bool is_transposed = call.attr<bool>("is_transposed");
    const auto num_in = call.attr<std::int64_t>("num_in"),
               num_out = call.attr<std::int64_t>("num_out");
    const Flat x_sizes = flat(x, num_in), out_sizes = flat(out, num_out);
    const Flat w_sizes = is_transposed ? Flat{out_sizes.columns, x_sizes.columns}
                                       : Flat{x_sizes.columns, out_sizes.columns};
    const pjrt::KernelInput weight = slice_of_stack(call.input(1), call);
    Extras extras(call, 2);
    const pjrt::KernelInput bias = extras.take("has_bias"), factor = extras.take("has_factor");
    multiply_matrices({.rows = x_sizes.rows,
                       .columns = out_sizes.columns,
                       .inner = x_sizes.columns,
                       .a = {rows_of(x, x_sizes), activation_of(call), factor.data},
                       .b = is_transposed ? rows_of(weight, w_sizes) : columns_of(weight, w_sizes),
                       .dtype = multiplied_dtype(x.dtype, weight.dtype),
                       .out_dtype = out.dtype,
                       .out = out.data,
                       .bias = bias.data,
                       .bias_dtype = bias.dtype,
                       .addend = extras.take("has_addend").data},
                      &call);
  }
};

struct LinearGradient {
  static constexpr std::string_view kName = "mw_linear_gradient";
  static constexpr int kAbiVersion = 1;

  static void run(KernelCall& call) {
    const pjrt::KernelInput x = call.input(0), given = call.input(1);
    const pjrt::KernelOutput d_weight = call.output(0);
    const bool is_transposed = call.attr<bool>("is_transposed");
    const Flat x_sizes = flat(x, call.attr<std::int64_t>("num_in"));
    const Flat given_sizes = flat(given, call.attr<std::int64_t>("num_out"));
    MatrixProduct product{.rows = x_sizes.columns,
                          .columns = given_sizes.columns,
                          .inner = x_sizes.rows,
                          .a = {columns_of(x, x_sizes)},
                          .b = columns_of(given, given_sizes),
                          .dtype = multiplied_dtype(x.dtype, given.dtype),
                          .out_dtype = d_weight.dtype,
                          .out = d_weight.data};
    if (is_transposed) {
      std::swap(product.a.lines, product.b);
      std::swap(product.rows, product.columns);
    } else if (call.num_outputs() > 1) {
      product.b_sums = call.output(1).values<float>().data();
    }
    multiply_matrices(product, &call);
  }
};

struct ActivatedGradient {
  static constexpr std::string_view kName = "mw_activated_gradient";
  static constexpr int kAbiVersion = 1;

  static void run(KernelCall& call) {
    const pjrt::KernelInput given = call.input(0), x = call.input(2);
    const bool is_transposed = call.attr<bool>("is_transposed");
    const Flat x_sizes = flat(x, call.attr<std::int64_t>("num_in"));
    const Flat given_sizes = flat(given, call.attr<std::int64_t>("num_out"));
    const Flat w_sizes = is_transposed ? Flat{given_sizes.columns, x_sizes.columns}
                                       : Flat{x_sizes.columns, given_sizes.columns};
    const pjrt::KernelInput weight = slice_of_stack(call.input(1), call);
    const pjrt::KernelInput factor = Extras(call, 3).take("has_factor");
    const pjrt::KernelOutput activated = call.output(0), d_x = call.output(1);
    multiply_matrices(
        {.rows = given_sizes.rows,
         .columns = x_sizes.columns,
         .inner = given_sizes.columns,
         .a = {rows_of(given, given_sizes)},
         .b = is_transposed ? columns_of(weight, w_sizes) : rows_of(weight, w_sizes),
         .dtype = multiplied_dtype(given.dtype, weight.dtype),
         .out_dtype = d_x.dtype,
         .out = d_x.data,
         .activation =
             ActivatedArrays{.activation = *activation_of(call),
                             .x = x.data,
                             .factor = factor.data,
                             .activated = activated.data,
                             .d_factor = factor.data == nullptr ? nullptr : call.output(2).data}},
        &call);
  }
};

}  // namespace

constexpr pjrt::Kernel kLinearHandler = pjrt::kernel<Linear>();
constexpr pjrt::Kernel kLinearGradientHandler = pjrt::kernel<LinearGradient>();
constexpr pjrt::Kernel kActivatedGradientHandler = pjrt::kernel<ActivatedGradient>();

}  // namespace meshwright::kernels
