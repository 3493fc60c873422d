// SPDX-License-Identifier: Apache-2.0
// The storage dtype of optimizer slots, as an option.
#pragma once

#include "meshwright/config/type_of.h"
#include "meshwright/tensor/dtype.h"

namespace meshwright::optim {

/// The storage DType of a slot. This is a separate class because configs accept only some dtypes
/// here.
class SlotDType {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): allows options to be set to bf16, f32, ...
  constexpr SlotDType(DType dtype = f32) : dtype_(dtype) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr operator DType() const { return dtype_; }

 private:
  DType dtype_;
};

inline config::Choices<SlotDType> config_choices(SlotDType) {
  return {{"f32", f32}, {"bf16", bf16},      {"f16", DType::f16},
          {"f64", f64}, {"s16", DType::s16}, {"s8", DType::s8}};
}

}  // namespace meshwright::optim
