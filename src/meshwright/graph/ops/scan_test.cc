// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/scan.h"

#include <cstdint>
#include <span>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A scan of `length` steps over slices [3, 4], unrolled by two.
std::string text_of_scan(std::int64_t length, const WriteOptions& options) {
  Tracer tracer;
  Value xs = tracer.argument({f32, {length, 3, 4}});
  auto body = [](std::span<const Value>, std::span<const Value> slices) {
    return ScanStep{.carry = {}, .ys = {exp(slices[0])}};
  };
  const ScanResult result = scan({}, std::span(&xs, 1), body, {.unroll = 2});
  return write_stablehlo(tracer.finish({result.ys[0]}), options);
}

TEST(Scan, JoinsRowsOfNumbersWhereReshapesAreFree) {
  EXPECT_THAT(text_of_scan(2, {.reshapes_are_free = true}),
              HasSubstr("(tensor<12xf32>, tensor<12xf32>) -> (tensor<24xf32>)"));
  EXPECT_THAT(text_of_scan(2, {}),
              HasSubstr("(tensor<1x3x4xf32>, tensor<1x3x4xf32>) -> (tensor<2x3x4xf32>)"));
}

TEST(Scan, JoinsNothingInALoop) {
  EXPECT_THAT(text_of_scan(4, {.reshapes_are_free = true}),
              AllOf(HasSubstr("stablehlo.while"), Not(HasSubstr("stablehlo.concatenate"))));
}

}  // namespace
}  // namespace meshwright::graph
