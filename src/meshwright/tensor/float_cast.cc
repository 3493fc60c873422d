// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tensor/float_cast.h"

#include <type_traits>

#include "meshwright/tensor/with_dtype.h"

namespace meshwright {
namespace {

template <typename From, typename To>
void copy_values(const HostTensor& from, HostTensor& to) {
  using Wide = std::conditional_t<std::is_same_v<From, double>, double, float>;
  std::span<const From> in = from.values<From>();
  std::span<To> out = to.mutable_values<To>();
  for (std::size_t i = 0; i < in.size(); ++i)
    out[i] = static_cast<To>(static_cast<Wide>(in[i]));
}

}  // namespace

bool can_float_cast(DType dtype) {
  return with_float(dtype, [](auto) {});
}

HostTensor float_cast(const HostTensor& tensor, DType dtype) {
  if (tensor.dtype() == dtype) return tensor;
  MW_CHECK(can_float_cast(tensor.dtype()) && can_float_cast(dtype), "cannot cast ", tensor.type(),
           " to ", dtype, " in host memory");
  HostTensor out(ArrayType{dtype, tensor.dims()});
  with_float(tensor.dtype(), [&](auto from) {
    with_float(dtype, [&](auto to) { copy_values<decltype(from), decltype(to)>(tensor, out); });
  });
  return out;
}

}  // namespace meshwright
