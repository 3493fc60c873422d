// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/manual.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/core/graph_testutil.h"
#include "meshwright/graph/ops/collectives.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"

namespace meshwright::graph {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const mesh::Mesh kMesh({{"d", 2}, {"t", 4}});

std::vector<Value> same(std::span<const Value> parts) {
  return {parts.begin(), parts.end()};
}

TEST(Manual, IsWrittenAsAClosedRegion) {
  Tracer tracer({.mesh = kMesh});
  Value x = tracer.argument({f32, {8, 8}});
  std::vector<Value> out = manual({{x, "rows/d columns/t"}}, {"rows/d columns/t"}, same);
  std::string text = write_stablehlo(tracer.finish(out));
  EXPECT_THAT(text, HasSubstr("\"sdy.manual_computation\"(%arg0) <{in_shardings = "
                              "#sdy.sharding_per_value<[<@mesh, [{\"d\"}, {\"t\"}]>]>, "
                              "out_shardings = #sdy.sharding_per_value<[<@mesh, [{\"d\"}, "
                              "{\"t\"}]>]>, manual_axes = #sdy<manual_axes{\"d\", \"t\"}>}>"));
  EXPECT_THAT(text, HasSubstr("\"sdy.return\""));
  EXPECT_THAT(text, HasSubstr(": (tensor<8x8xf32>) -> tensor<8x8xf32>"));
}

TEST(Manual, LeavesDimensionsOpenForThePartitioner) {
  Tracer tracer({.mesh = kMesh});
  Value x = tracer.argument({f32, {8, 8}});
  std::vector<Value> out =
      manual({{x, "rows/d columns"}}, {"rows/d columns"}, same, {.axes = {"d"}});
  EXPECT_THAT(write_stablehlo(tracer.finish(out)),
              AllOf(HasSubstr("[{\"d\", ?}, {?}]"), HasSubstr("manual_axes{\"d\"}")));
}

TEST(Manual, TheBodySeesParts) {
  Tracer tracer({.mesh = kMesh});
  Value x = tracer.argument({f32, {8, 16}});
  Value w = tracer.argument({f32, {16}});
  auto body = [&](std::span<const Value> parts) {
    EXPECT_EQ(parts[0].dims(), (Dims{4, 4}));
    EXPECT_EQ(parts[0].type().varying, mesh::AxisSet::of(0) | mesh::AxisSet::of(1));
    EXPECT_EQ(parts[1].dims(), (Dims{2}));
    Value whole = w * 2;
    EXPECT_EQ(whole.dims(), (Dims{16}));
    EXPECT_TRUE(whole.type().varying.empty());
    return std::vector<Value>{parts[0]};
  };
  std::vector<Value> out =
      manual({{x, "batch/d embed/t"}, {w, "embed/t/d"}}, {"batch/d embed/t"}, body);
  EXPECT_EQ(out[0].dims(), (Dims{8, 16}));
  EXPECT_TRUE(out[0].type().varying.empty());
}

// A parameter that a region uses without taking it.
std::string with_capture(std::optional<mesh::Sharding> stored,
                         const std::function<Value(Value part, Value w)>& use,
                         const ManualOptions& options = {}) {
  Tracer tracer({.mesh = kMesh});
  Value x = tracer.argument({f32, {8, 8}});
  Value w = tracer.argument({f32, {8, 8}}, {.name = "w", .sharding = std::move(stored)});
  auto body = [&](std::span<const Value> parts) {
    Value y = use(parts[0], w);
    EXPECT_EQ(y.dims(), parts[0].dims());
    return std::vector<Value>{y};
  };
  std::vector<Value> out = manual({{x, "rows/d columns"}}, {"rows/d columns"}, body, options);
  return write_stablehlo(tracer.finish(out));
}

Value first_rows(Value part, Value w) {
  return part + take_slice(w, 0, 0, part.dim(0));
}

TEST(Manual, ACaptureComesInAsItsPart) {
  std::string text = with_capture(mesh::Sharding{{{"t"}, {"d"}}}, first_rows);
  EXPECT_THAT(text, AllOf(HasSubstr("<@mesh, [{\"t\"}, {\"d\"}]>]>, out_shardings"),
                          HasSubstr("(tensor<2x4xf32>) -> tensor<8x4xf32>"),
                          HasSubstr("(tensor<8x4xf32>) -> tensor<8x8xf32>")));
  EXPECT_THAT(with_capture(std::nullopt, first_rows), Not(HasSubstr("all_gather")));
}

TEST(Manual, ACaptureIsGatheredAlongManualAxesThatComeFirst) {
  ManualOptions only_d{.axes = {"d"}};
  mesh::Sharding inner{{{"t", "d"}}}, outer{{{"d", "t"}}};
  EXPECT_THAT(with_capture(inner, first_rows, only_d), Not(HasSubstr("all_gather")));
  EXPECT_THAT(with_capture(outer, first_rows, only_d),
              HasSubstr("(tensor<4x8xf32>) -> tensor<8x8xf32>"));
}

TEST(Manual, ACaptureThatIsCastIsGatheredNarrow) {
  auto use = [](Value part, Value w) {
    Value twice = concatenate({part, part}, 0);
    Value sum = cast(twice, bf16) + swap_dims(cast(w, bf16), 0, 1);
    return take_slice(cast(sum, f32), 0, 0, part.dim(0));
  };
  EXPECT_THAT(with_capture(mesh::Sharding{{{"d"}}}, use),
              AllOf(HasSubstr("(tensor<4x8xbf16>) -> tensor<8x8xbf16>"),
                    Not(HasSubstr("(tensor<4x8xf32>) -> tensor<8x8xf32>"))));
}

TEST(Manual, AGatheredCaptureIsEqualOnAllDevices) {
  with_capture(mesh::Sharding{{{"d"}}}, [](Value part, Value w) {
    EXPECT_TRUE(w.type().varying.empty());
    EXPECT_TRUE((w * 2).type().varying.empty());
    return part;
  });
}

TEST(Manual, ChecksNamesAgainstWholeSizes) {
  Tracer tracer({.mesh = kMesh, .dims = {{"embed", 16}}});
  Value x = tracer.argument({f32, {8, 16}});
  EXPECT_THAT(message_of([&] {
                manual({{x, "embed/d len"}}, {"embed/d len"}, same);
              }),
              AllOf(HasSubstr("axis 'embed' is 16"), HasSubstr("f32[8,16] typed 'embed/d len'")));
  EXPECT_THAT(message_of([&] {
                manual({{x, "8 17"}}, {"8 17"}, same);
              }),
              HasSubstr("dimension 1 is 16"));
  EXPECT_THAT(message_of([&] {
                manual({{x, "batch/d"}}, {"batch/d"}, same);
              }),
              HasSubstr("the type has 1 dimensions"));
  EXPECT_THAT(message_of([&] {
                manual({{x, "batch/d embed"}}, {"batch/d embed/t"}, same);
              }),
              AllOf(HasSubstr("axis 'embed' is 16"), HasSubstr("but 64 in f32[4,16]")));
}

TEST(Manual, NamesInTheBodyAreThoseOfParts) {
  Tracer tracer({.mesh = kMesh, .dims = {{"embed", 16}}});
  Value x = tracer.argument({f32, {8, 16}});
  auto body = [](std::span<const Value> parts) {
    Tracer::current().axes().bind("embed", 4, "a part");
    typed(parts[0], "batch/d embed/t");
    return same(parts);
  };
  manual({{x, "batch/d embed/t"}}, {"batch/d embed/t"}, body);
  EXPECT_THAT(message_of([&] { tracer.axes().bind("embed", 4, "outside"); }),
              HasSubstr("axis 'embed' is 16"));
}

TEST(Manual, AResultThatVariesMoreThanItsSpecIsAnError) {
  Tracer tracer({.mesh = kMesh});
  Value x = tracer.argument({f32, {8, 8}});
  auto body = [](std::span<const Value> parts) {
    return std::vector<Value>{all_reduce(exp(parts[0]), {"d"}) * 2};
  };
  EXPECT_THAT(message_of([&] {
                manual({{x, "a/d b/t"}}, {"4 2"}, body);
              }),
              AllOf(HasSubstr("result 0"), HasSubstr("multiply (manual_test.cc:"),
                    HasSubstr("differs along mesh axes t, but its spec [-, -]"),
                    HasSubstr("all_reduce it")));
}

TEST(Manual, RefusesMeshAxesThatAreManualAlready) {
  Tracer tracer({.mesh = kMesh});
  Value x = tracer.argument({f32, {8}});
  auto body = [](std::span<const Value> parts) {
    return manual({{parts[0], "rest/d"}}, {"rest/d"}, same, {.axes = {"d"}});
  };
  EXPECT_THAT(message_of([&] {
                manual({{x, "a/d"}}, {"a/d"}, body);
              }),
              HasSubstr("mesh axes d are already manual"));
}

TEST(Manual, RefusesWhatDoesNotFitTheMesh) {
  Tracer tracer({.mesh = kMesh});
  Value x = tracer.argument({f32, {6, 8}});
  EXPECT_THAT(message_of([&] {
                manual({{x, "a/t b"}}, {"a/t b"}, same);
              }),
              AllOf(HasSubstr("input 0"), HasSubstr("dimension 0 is 6"), HasSubstr("t=4")));
  EXPECT_THAT(message_of([&] {
                manual({{x, "a/d b/t"}}, {"a/d b/t"}, same, {.axes = {"d"}});
              }),
              HasSubstr("splits by mesh axes t, which are not manual"));
  EXPECT_THAT(message_of([&] {
                manual({{x, "a b"}}, {"a b"}, same, {.axes = {"model"}});
              }),
              HasSubstr("'model' does not exist"));
  EXPECT_THAT(message_of([&] {
                manual({{x, "a b"}}, {}, same);
              }),
              HasSubstr("returns 1 results, but there are 0 specs"));
}

TEST(Manual, WantsAMesh) {
  Tracer tracer;
  Value x = tracer.argument({f32, {8}});
  EXPECT_THAT(message_of([&] { manual({{x, "a"}}, {"a"}, same); }), HasSubstr("without a mesh"));
}

}  // namespace
}  // namespace meshwright::graph
