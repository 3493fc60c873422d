// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/custom_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/core/graph_testutil.h"
#include "meshwright/graph/ops/elementwise.h"

namespace meshwright::graph {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(CustomCall, WritesTypedAttributesAndLayouts) {
  std::string text = text_of({{f32, {2, 3}}, {s32, {}}}, [](std::span<const Value> args) {
    return custom_call("mw_kernel", {args[0], args[1]},
                       {.results = {{f32, {4}}, {f32, {2, 3}}},
                        .attributes = {{"flag", true},
                                       {"count", 3},
                                       {"large", std::int64_t{1} << 40},
                                       {"scale", 0.5f},
                                       {"eps", 1e-6},
                                       {"mode", "a \"b\"\n"},
                                       {"window", Dims{1, -2}},
                                       {"weights", std::vector<double>{1, 0.25}}},
                        .aliases = {{.result = 1, .operand = 0}}});
  });
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("call_target_name = \"mw_kernel\", api_version = 4 : i32, has_side_effect = "
                      "false"),
            HasSubstr("\"count\" = 3 : i32"), HasSubstr("\"large\" = 1099511627776 : i64"),
            HasSubstr("\"flag\" = true"), HasSubstr("\"scale\" = 5.0e-01 : f32"),
            HasSubstr("\"eps\" = 1.0e-06 : f64"), HasSubstr("\"mode\" = \"a \\\"b\\\"\\0A\""),
            HasSubstr("\"window\" = array<i64: 1, -2>"),
            HasSubstr("\"weights\" = array<f64: 1.0e+00, 2.5e-01>")));
  EXPECT_THAT(text,
              AllOf(HasSubstr("operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<> : "
                              "tensor<0xindex>]"),
                    HasSubstr("result_layouts = [dense<[0]> : tensor<1xindex>, dense<[1, 0]> : "
                              "tensor<2xindex>]"),
                    HasSubstr("#stablehlo.output_operand_alias<output_tuple_indices = [1], "
                              "operand_index = 0, operand_tuple_indices = []>")));
}

TEST(CustomCall, AliasOfTheOnlyResultHasNoTupleIndex) {
  std::string text = text_of({{f32, {2}}}, [](std::span<const Value> args) {
    return custom_call("f", {args[0]}, {.results = {{f32, {2}}}, .aliases = {{0, 0}}});
  });
  EXPECT_THAT(text, HasSubstr("output_tuple_indices = [], operand_index = 0"));
}

TEST(CustomCall, StaysForItsSideEffect) {
  std::string text = text_of({{f32, {2}}}, [](std::span<const Value> args) {
    custom_call("unused", {args[0]}, {.results = {{f32, {2}}}});
    custom_call("log_step", {args[0]}, {.has_side_effect = true});
    return std::vector<Value>{args[0]};
  });
  EXPECT_THAT(text, AllOf(HasSubstr("log_step"), HasSubstr("has_side_effect = true"),
                          Not(HasSubstr("unused"))));
}

TEST(CustomCall, RejectsAliasesThatDoNotFit) {
  Tracer tracer;
  Value x = tracer.argument({f32, {2, 3}});
  auto message = [&](std::vector<OutputAlias> aliases) {
    return message_of([&] {
      custom_call("f", {x}, {.results = {{f32, {2, 3}}, {f32, {3, 2}}}, .aliases = aliases});
    });
  };
  EXPECT_EQ(message({{0, 0}}), "no error");
  EXPECT_THAT(message({{1, 0}}), HasSubstr("result 1, f32[3,2], cannot alias operand 0, f32[2,3]"));
  EXPECT_THAT(message({{0, 1}}), HasSubstr("there are 2 results and 1 operands"));
  EXPECT_THAT(message({{0, 0}, {0, 0}}), HasSubstr("appears in two aliases"));
  EXPECT_THAT(message_of([&] { custom_call("", {x}, {}); }),
              HasSubstr("the name of the target is empty"));
}

std::vector<Type> infer_as_operand(const Node& node) {
  return {node.in(0)};
}

const OpDef kWithBody{
    .name = "with_body", .mlir = "test.body", .infer = infer_as_operand, .vjp = kNoGradient};

TEST(CustomCall, TargetsAreListedOnceAndInsideBodies) {
  Tracer tracer;
  Value x = tracer.argument({f32, {2}});
  CustomCallOptions like_x{.results = {{f32, {2}}}};
  Value y = custom_call("second", {x}, like_x)[0];
  Region& body = tracer.trace_region(std::span(&x.type(), 1), [&](std::span<const Value> args) {
    return custom_call("first", {args[0]}, like_x);
  });
  Value z = emit_all(kWithBody, {y}, {}, {&body}, {})[0] + custom_call("second", {y}, like_x)[0];
  custom_call("dead", {x}, like_x);
  EXPECT_THAT(custom_call_targets(tracer.finish({z})), ElementsAre("first", "second"));
}

void write_doubled(Writer& writer, const Node& node) {
  write_custom_call(writer, node, {.target = "mw_double", .attributes = {}});
}

// Graph code sees only the address of a handler.
const char kSomeKernel = 0;
const auto* const kDoubling = reinterpret_cast<const pjrt::Kernel*>(&kSomeKernel);

TEST(Kernel, HandlersOfAProgramAreListedOnce) {
  const OpDef doubled{.name = "doubled",
                      .infer = infer_as_operand,
                      .write = write_doubled,
                      .vjp = kNoGradient,
                      .handler = kDoubling};
  Tracer tracer;
  Value x = tracer.argument({f32, {2}});
  Program program = tracer.finish({emit(doubled, {emit(doubled, {x}, {})}, {})});
  EXPECT_THAT(kernel_handlers(program), ElementsAre(kDoubling));
  EXPECT_THAT(write_stablehlo(program), HasSubstr("call_target_name = \"mw_double\""));
}

}  // namespace
}  // namespace meshwright::graph
