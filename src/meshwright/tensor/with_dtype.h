// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "meshwright/tensor/host_tensor.h"

namespace meshwright {

/// Calls f(T()) for the type among Ts that corresponds to `dtype`. Returns false if there is none.
template <typename... Ts, typename F>
bool with_one_of(DType dtype, const F& f) {
  return (... || (dtype == dtype_of<Ts>() && (f(Ts()), true)));
}

template <typename F>
bool with_integer(DType dtype, const F& f) {
  return with_one_of<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                     std::uint16_t, std::uint32_t, std::uint64_t>(dtype, f);
}

template <typename F>
bool with_float(DType dtype, const F& f) {
  return with_one_of<Half, BFloat16, float, double>(dtype, f);
}

}  // namespace meshwright
