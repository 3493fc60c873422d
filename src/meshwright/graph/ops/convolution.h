// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/graph/ops/dot.h"
#include "meshwright/graph/ops/window_dims.h"

namespace meshwright::graph {

/// The roles of the dimensions of one array of a convolution.
struct ConvDims {
  std::int64_t outer = 0;  // the batch; of the kernel: output features
  std::int64_t inner = 0;  // features; of the kernel: input features
  Dims spatial;
};
struct ConvLayout {
  ConvDims lhs, rhs, out;
};

/// Layouts by letters: N batch, C features, O and I output and input features of the kernel, any
/// others spatial: conv_layout("NHWC", "HWIO", "NHWC"). Throws invalid_argument.
ConvLayout conv_layout(std::string_view lhs, std::string_view rhs, std::string_view out);
/// Features last, and the kernel as spatial, input, output: NHWC, HWIO, NHWC for rank 4.
ConvLayout channels_last(int rank);

struct ConvAttrs {
  ConvLayout layout;
  Window window;  // over the spatial dimensions; base dilation is that of lhs
  std::int64_t feature_groups = 1, batch_groups = 1;
  DType out = DType::f32;
  Precision precision = Precision::standard;
};
/// attrs: ConvAttrs.
extern const OpDef kConvolution;

inline constexpr std::array kConvolutionOps = {&kConvolution};

struct ConvOptions {
  Dims stride = {};  // per spatial dimension, as the other lists; empty: 1 everywhere
  WindowPadding padding = PaddingRule::valid;
  Dims lhs_dilation = {}, rhs_dilation = {};
  std::int64_t feature_groups = 1, batch_groups = 1;
  std::optional<ConvLayout> layout = {};  // absent: channels_last
  std::optional<DType> out = {};          // of sums and result; absent: that of the operands
  Precision precision = Precision::standard;
};

/// The kernel rhs moved over lhs, products summed over window and input features (no reversal of
/// the kernel). With groups, output features or examples are split and each part sees only its own
/// input.
Value convolution(Value lhs,
                  Value rhs,
                  const ConvOptions& options = {},
                  SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
