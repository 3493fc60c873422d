// SPDX-License-Identifier: Apache-2.0
// Attention on CUDA calls cuDNN exactly as JAX does.
#include <algorithm>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/autodiff/grad.h"
#include "meshwright/base/base_testutil.h"
#include "meshwright/base/json_value.h"
#include "meshwright/base/str.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/placement/kernel_placement.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/kernels/attention/attention.h"

namespace meshwright::kernels {
namespace {

using graph::Program;
using graph::Value;
using testing::Contains;
using testing::HasSubstr;

JsonValue golden() {
  return parse_json(file_text(GOLDEN_FILE), GOLDEN_FILE);
}

// Returns text that is equal for equal values, whatever the order of members.
std::string canonical(const JsonValue& value) {
  std::vector<std::string> parts;
  if (value.is_object()) {
    for (const auto& [name, content] : value.as_object())
      parts.push_back(str(name, ": ", canonical(content)));
    std::ranges::sort(parts);
  } else if (value.is_array()) {
    for (const JsonValue& each : value.as_array())
      parts.push_back(canonical(each));
  } else {
    return value.is_text()     ? str("'", value.as_text(), "'")
           : value.is_number() ? str(value.as_number())
                               : str(value.as_bool());
  }
  return str("{", join(parts, ", "), "}");
}

// The parts of a call in the order of the golden's members.
struct Call {
  std::string target, operands, results, operand_layouts, result_layouts, config;

  bool operator==(const Call&) const = default;
};

std::string list_of(const JsonValue& texts) {
  std::vector<std::string> parts;
  for (const JsonValue& each : texts.as_array())
    parts.push_back(each.as_text());
  return join(parts, ", ");
}

std::string layouts_of(const JsonValue& all) {
  std::vector<std::string> parts;
  for (const JsonValue& layout : all.as_array()) {
    std::vector<std::string> dims;
    for (const JsonValue& dim : layout.as_array())
      dims.push_back(str(dim.as_integer()));
    parts.push_back(str("dense<[", join(dims, ", "), "]> : tensor<", dims.size(), "xindex>"));
  }
  return join(parts, ", ");
}

std::vector<Call> expected_calls(const JsonValue& of) {
  std::vector<Call> out;
  for (const JsonValue& call : of.at("calls").as_array())
    out.push_back({call.at("target").as_text(), list_of(call.at("operands")),
                   list_of(call.at("results")), layouts_of(call.at("operand_layouts")),
                   layouts_of(call.at("result_layouts")), canonical(call.at("backend_config"))});
  return out;
}

std::string unescaped(const std::string& text) {
  return std::regex_replace(text, std::regex(R"(\\22|\\")"), "\"");
}

std::vector<Call> calls_in(const std::string& program) {
  const std::regex form(
      R"re(call_target_name = "(__cudnn[^"]*)".*backend_config = "((?:[^"\\]|\\.)*)", )re"
      R"re(operand_layouts = \[(.*)\], result_layouts = \[(.*)\]\}>? : \((.*)\) -> \((.*)\))re");
  std::vector<Call> out;
  std::istringstream lines(program);
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (!std::regex_search(line, found, form)) continue;
    out.push_back({found[1], found[5], found[6], found[3], found[4],
                   canonical(parse_json(unescaped(found[2]), "backend_config"))});
  }
  return out;
}

bool has(const JsonValue& c, const char* name) {
  return c.find(name) != nullptr;
}

constexpr int kHopper = 90, kAmpere = 80;

Program traced(const JsonValue& c, DType dtype = bf16, int capability = kHopper) {
  const auto size = [&](const char* name) { return c.at(name).as_integer(); };
  const std::int64_t kv = size("kv"), per_kv = size("heads") / kv;
  const Dims queries = {size("batch"), size("len"), kv, per_kv, size("dim")};
  const Dims keys = {size("batch"), size("src"), kv, size("dim")};
  std::vector<ArrayType> types = {{dtype, queries}, {dtype, keys}, {dtype, keys}, {f32, queries}};
  if (c.at("bias").as_bool()) types.push_back({f32, {kv, per_kv, size("len"), size("src")}});
  if (has(c, "lengths")) types.push_back({s32, {size("batch")}});
  if (has(c, "documents")) types.push_back({s32, {size("batch"), size("len")}});
  const auto body = [&](std::span<const Value> in) {
    const auto loss = [&](std::span<const Value> of) {
      AttentionOptions options{.causal = c.at("causal").as_bool(),
                               .window = has(c, "window") ? size("window") : 0};
      if (has(c, "lengths")) options.key_lengths = in.back();
      if (has(c, "documents")) options.segments = in.back();
      if (of.size() > 3) options.bias = of[3];
      Value out = attention(of[0], of[1], of[2], options);
      return graph::reduce_sum(graph::cast(out, f32) * in[3], {0, 1, 2, 3, 4});
    };
    std::vector<Value> of = {in[0], in[1], in[2]};
    if (c.at("bias").as_bool()) of.push_back(in[4]);
    return autodiff::grad(loss, of);
  };
  const graph::ProgramTarget target{.platform = "cuda", .compute_capability = capability};
  return place_kernels(graph::trace(types, body, {.target = target}), "cuda");
}

TEST(CudnnAttention, IsCalledAsByJax) {
  const JsonValue cases = golden();
  for (const JsonValue& c : cases.as_array()) {
    const std::string text = write_stablehlo(traced(c));
    const std::vector<Call> jax = expected_calls(c);
    std::vector<Call> ours = calls_in(text);
    // The gradient of documents calls the forward pass once more, for its log-sums.
    if (has(c, "documents")) {
      ASSERT_EQ(ours.size(), 3) << text;
      EXPECT_EQ(ours[1], ours[0]);
      ours.erase(ours.begin() + 1);
    }
    SCOPED_TRACE(c.at("name").as_text());
    ASSERT_EQ(ours.size(), jax.size()) << text;
    for (std::size_t i = 0; i < jax.size(); ++i) {
      EXPECT_EQ(ours[i].target, jax[i].target);
      EXPECT_EQ(ours[i].operands, jax[i].operands);
      EXPECT_EQ(ours[i].results, jax[i].results);
      EXPECT_EQ(ours[i].operand_layouts, jax[i].operand_layouts);
      EXPECT_EQ(ours[i].result_layouts, jax[i].result_layouts);
      EXPECT_EQ(ours[i].config, jax[i].config);
    }
  }
}

JsonValue golden_case(std::string_view name) {
  const JsonValue cases = golden();
  for (const JsonValue& c : cases.as_array())
    if (c.at("name").as_text() == name) return c;
  ADD_FAILURE() << name;
  return {};
}

TEST(CudnnAttention, ItsObstaclesAreNamed) {
  const auto choices = [](const char* name, DType dtype, int capability) {
    return describe(traced(golden_case(name), dtype, capability).kernel_choices);
  };
  EXPECT_THAT(
      choices("causal", f32, kHopper),
      Contains(HasSubstr("flash_attention: formula, 1 call: cuDNN's attention takes bf16")));
  EXPECT_THAT(choices("documents", bf16, kAmpere),
              Contains(HasSubstr("takes documents only on GPUs known to be Hopper or later")));
  EXPECT_THAT(choices("documents", bf16, 0), Contains(HasSubstr("formula, 1 call")));
}

}  // namespace
}  // namespace meshwright::kernels
