// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/config/check.h"
#include "meshwright/tensor/dtype.h"

namespace meshwright::tasks {

/// The dtype in which a task computes.
struct ComputeConfig {
  std::string compute_dtype = "f32";

  void compute_fields(auto& f) {
    f.optional("compute_dtype", compute_dtype, config::one_of({"f32", "bf16"}),
               "Dtype of activations, and of parameters where they are used.");
  }
  DType dtype() const { return *find_dtype(compute_dtype); }
};

}  // namespace meshwright::tasks
