// SPDX-License-Identifier: Apache-2.0
#include "case.h"
#include "meshwright/graph/ops/convolution.h"

namespace meshwright::parity {

using namespace graph;  // NOLINT(google-build-using-namespace): a table of its functions

namespace {

Case conv_case(std::string name,
               std::string_view lhs,
               std::string_view rhs,
               ConvOptions options,
               const std::string& jax) {
  return {std::move(name),
          {normal(lhs), normal(rhs)},
          [options = std::move(options)](Value x, Value w) { return convolution(x, w, options); },
          "lambda x, w: lax.conv_general_dilated(x, w, " + jax + ")",
          true,
          kFloats,
          2};
}

const char* const kLast = ", dimension_numbers=('NHWC', 'HWIO', 'NHWC')";

}  // namespace

std::vector<Case> convolution_cases() {
  using enum PaddingRule;
  return {
      conv_case("convolution", "2 7 6 c", "3 2 c o", {}, std::string("(1, 1), 'VALID'") + kLast),
      conv_case("convolution-same", "2 7 6 c", "3 2 c o", {.stride = {2, 3}, .padding = same},
                std::string("(2, 3), 'SAME'") + kLast),
      conv_case("convolution-one-dimension", "b 9 c", "4 c o",
                {.stride = {2}, .padding = same_lower},
                "(2,), 'SAME_LOWER', dimension_numbers=('NWC', 'WIO', 'NWC')"),
      conv_case("convolution-without-dimensions", "b c", "c o", {},
                "(), 'VALID', dimension_numbers=('NC', 'IO', 'NC')"),
      conv_case("convolution-dilated", "2 7 6 c", "3 2 c o",
                {.stride = {1, 2},
                 .padding = Padding{.low = {2, -1}, .high = {0, 3}},
                 .lhs_dilation = {2, 1},
                 .rhs_dilation = {1, 2}},
                std::string("(1, 2), ((2, 0), (-1, 3)), (2, 1), (1, 2)") + kLast),
      conv_case("convolution-feature-groups", "2 7 6 4", "3 2 2 6",
                {.stride = {2, 1}, .feature_groups = 2},
                std::string("(2, 1), 'VALID', feature_group_count=2") + kLast),
      conv_case("convolution-depthwise", "2 7 6 3", "3 3 1 6",
                {.padding = same, .feature_groups = 3},
                std::string("(1, 1), 'SAME', feature_group_count=3") + kLast),
      conv_case("convolution-batch-groups", "6 7 6 c", "3 2 c 4",
                {.stride = {1, 2}, .batch_groups = 2},
                std::string("(1, 2), 'VALID', batch_group_count=2") + kLast),
      conv_case("convolution-features-first", "2 c 7 6", "o c 3 2",
                {.padding = same, .layout = conv_layout("NCHW", "OIHW", "NCHW")}, "(1, 1), 'SAME'"),
      conv_case("convolution-mixed-layout", "7 c 6 2", "c 3 o 2",
                {.feature_groups = 1, .layout = conv_layout("HCWN", "IHOW", "CNHW")},
                "(1, 1), 'VALID', dimension_numbers=('HCWN', 'IHOW', 'CNHW')"),
      conv_case("convolution-mixed-groups", "7 4 6 2", "2 3 6 2",
                {.feature_groups = 2, .layout = conv_layout("HCWN", "IHOW", "CNHW")},
                "(1, 1), 'VALID', feature_group_count=2, "
                "dimension_numbers=('HCWN', 'IHOW', 'CNHW')"),
      conv_case("convolution-wide-sum", "b 9 c", "4 c o", {.out = f32},
                "(1,), 'VALID', dimension_numbers=('NWC', 'WIO', 'NWC'), "
                "preferred_element_type=jnp.float32"),
  };
}

}  // namespace meshwright::parity
