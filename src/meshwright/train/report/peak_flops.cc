// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/report/peak_flops.h"

#include <array>

namespace meshwright::train {
namespace {

struct Known {
  std::string_view prefix;
  double flops;
};
// From the manufacturers' data sheets, without sparsity. The first match counts.
constexpr std::array<Known, 14> kKnown = {{
    {"NVIDIA A100", 312e12},
    {"NVIDIA H100 PCIe", 756e12},
    {"NVIDIA H100 NVL", 835e12},
    {"NVIDIA H100", 989e12},
    {"NVIDIA H200", 989e12},
    {"NVIDIA B200", 2250e12},
    {"AMD Instinct MI300X", 1307e12},
    {"TPU v4", 275e12},
    {"TPU v5 lite", 197e12},
    {"TPU v5e", 197e12},
    {"TPU v5", 459e12},  // v5p
    {"TPU v6 lite", 918e12},
    {"TPU v6e", 918e12},
    {"TPU v6", 918e12},
}};

}  // namespace

std::optional<double> peak_flops(std::string_view kind) {
  for (const Known& known : kKnown) {
    if (kind.starts_with(known.prefix)) return known.flops;
  }
  return std::nullopt;
}

}  // namespace meshwright::train
