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
  std::int64_t outer = 0;  // the batch; output features in the kernel
  std::int64_t inner = 0;  // the features; input features in the kernel
  Dims spatial;
};
struct ConvLayout {
  ConvDims lhs, rhs, out;
};

/// Returns the layout that these letters spell, as in conv_layout("NHWC", "HWIO", "NHWC"). N stands
/// for the batch, C for the features, O and I for the output and input features of the kernel, and
/// all other letters for spatial dimensions. Throws invalid_argument if a letter is missing or
/// repeated.
ConvLayout conv_layout(std::string_view lhs, std::string_view rhs, std::string_view out);
/// Returns the layout with features last: NHWC, HWIO and NHWC for rank 4.
ConvLayout channels_last(int rank);

struct ConvAttrs {
  ConvLayout layout;
  Window window;  // over the spatial dimensions; base_dilation dilates lhs
  std::int64_t feature_groups = 1, batch_groups = 1;
  DType out = DType::f32;
  Precision precision = Precision::standard;
};
/// attrs: ConvAttrs.
extern const OpDef kConvolution;

inline constexpr std::array kConvolutionOps = {&kConvolution};

struct ConvOptions {
  Dims stride = {};  // like the dilations, one per spatial dimension; if empty, all 1
  WindowPadding padding = PaddingRule::valid;
  Dims lhs_dilation = {}, rhs_dilation = {};
  std::int64_t feature_groups = 1, batch_groups = 1;
  std::optional<ConvLayout> layout = {};  // defaults to channels_last
  std::optional<DType> out = {};          // accumulator and result; defaults to the operands' dtype
  Precision precision = Precision::standard;
};

/// Slides the kernel rhs over lhs without reversing it, and sums products over the window and the
/// input features. Feature groups split the input features, and batch groups split the batch; each
/// group computes its own share of the output features.
Value convolution(Value lhs,
                  Value rhs,
                  const ConvOptions& options = {},
                  SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
