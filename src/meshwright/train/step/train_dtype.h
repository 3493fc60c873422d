// SPDX-License-Identifier: Apache-2.0
// The dtype in which losses are computed, as an option.
#pragma once

#include "meshwright/config/type_of.h"
#include "meshwright/tensor/dtype.h"

namespace meshwright::train {

/// A DType that parameters and inputs can be cast to. A separate class because a config may name
/// only these.
class TrainDType {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): lets options be set to bf16 or f32
  constexpr TrainDType(DType dtype = f32) : dtype_(dtype) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr operator DType() const { return dtype_; }

 private:
  DType dtype_;
};

inline config::Choices<TrainDType> config_choices(TrainDType) {
  return {{"f32", f32}, {"bf16", bf16}};
}

}  // namespace meshwright::train
