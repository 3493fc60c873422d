// SPDX-License-Identifier: Apache-2.0
// Compares updates and schedules with results of the code of AXLearn, T5X, Big Vision and seqax
// (tests/golden).
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/runtime/client.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "npy/npy.h"
#include "parity_case.h"
#include "run_updates.h"

namespace meshwright::optim {
namespace {

using Rows = std::vector<std::vector<float>>;

Rows golden(const std::string& file) {
  const HostTensor array = test_npy::read_npy(std::filesystem::path(GOLDEN_FOLDER) / file);
  const auto width = static_cast<std::size_t>(array.dims().back());
  const std::span<const float> values = array.values<float>();
  Rows out;
  for (std::size_t at = 0; at < values.size(); at += width) {
    const auto row = values.subspan(at, width);
    out.emplace_back(row.begin(), row.end());
  }
  return out;
}

// In the order of the golden files, which is sorted by path.
ParamSpecs golden_specs() {
  using enum FactorRole;
  ParamSpecs out;
  out["decoder/bias"] = spec_of({8}, "mlp");
  out["decoder/layers/w_q"] = spec_of({3, 6, 4}, "layers embed head");
  out["decoder/norm"] = spec_of({6}, "embed");
  out["decoder/w_in"] = spec_of({6, 8}, "embed mlp");
  out["decoder/w_out"] = spec_of({8, 6}, "mlp embed");
  out["embed"] = spec_of({10, 6}, "vocab embed");
  out["scale"] = spec_of({});
  for (const char* path : {"decoder/w_in", "decoder/w_out"})
    out.at(path).value().factorization = {row, col};
  ParamSpec& stacked = out.at("decoder/layers/w_q").value();
  stacked.factorization = {none, row, col};
  stacked.num_stacked_dims = 1;
  return out;
}

HostTree tree_of(const std::vector<float>& row) {
  auto next = row.begin();
  return map(golden_specs(), [&](const ParamSpec& spec) {
    const auto end = next + num_elements(spec.type.dims);
    const std::vector<float> values(next, end);
    next = end;
    return HostTensor::from(values, spec.type.dims);
  });
}

std::vector<float> row_of(const HostTree& tree) {
  std::vector<float> out;
  for_each(tree, [&](const HostTensor& tensor) {
    for (float value : tensor.values<float>())
      out.push_back(value);
  });
  return out;
}

// Largest error of an element that is due to rounding. Low-precision slots may round the other way:
// s16 by 1/32767 of the largest value of the column, bf16 by 2^-8 of the value, and the update of
// the element changes as much.
double rounding(const std::string& name, const Rows& expected, std::size_t element) {
  if (name == "axlearn_ema_s16") return 5e-6;
  if (name != "big_vision_adafactor") return 1e-6;
  double largest = 0;
  for (std::size_t i = 1; i < expected.size(); ++i)
    largest = std::max(largest, std::abs(double{expected[i][element]} - expected[i - 1][element]));
  return 1e-6 + largest / 256;
}

// Finds the file of a case: "t5x_adamw" is in tests/golden/t5x/optimizers.
std::string file_of(const std::string& name, const std::string& kind) {
  for (const std::string system : {"axlearn", "t5x", "big_vision", "seqax"}) {
    if (name.starts_with(system + "_"))
      return str(system, "/", kind, "/", name.substr(system.size() + 1), ".npy");
  }
  fail(ErrorCode::invalid_argument, "no system made '", name, "'");
}

// All golden files have the same parameters and gradients.
std::vector<HostTree> gradients_of(const std::string& name) {
  const bool is_skipping = name.find("_skip_") != std::string::npos;
  std::vector<HostTree> out;
  for (const auto& row :
       golden(is_skipping ? "axlearn/bad_gradients.npy" : "axlearn/gradients.npy"))
    out.push_back(tree_of(row));
  return out;
}

class Optimizer : public testing::TestWithParam<ParityCase> {};

TEST_P(Optimizer, AgreesAfterEveryUpdate) {
  const Rows expected = golden(file_of(GetParam().name, "optimizers"));
  const HostTree params = tree_of(golden("axlearn/params.npy").front());
  const Learner learner(GetParam().learner, golden_specs());
  const Updates run = run_updates(learner, params, gradients_of(GetParam().name));
  std::vector<HostTree> found = run.params_after;
  if (learner.has_ema()) found.push_back(run.state.at("ema"));
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t update = 0; update < found.size(); ++update) {
    const std::vector<float> ours = row_of(found[update]);
    const std::vector<float>& theirs = expected[update];
    ASSERT_GE(ours.size(), theirs.size());  // an average may lack the elements at the end
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      ASSERT_NEAR(ours[i], theirs[i],
                  1e-6 * std::abs(theirs[i]) + rounding(GetParam().name, expected, i))
          << "element " << i << " after update " << update + 1;
    }
  }
}

constexpr auto kNameOf = [](const auto& tested) { return tested.param.name; };

INSTANTIATE_TEST_SUITE_P(Axlearn, Optimizer, testing::ValuesIn(axlearn_cases()), kNameOf);
INSTANTIATE_TEST_SUITE_P(T5x, Optimizer, testing::ValuesIn(t5x_cases()), kNameOf);
INSTANTIATE_TEST_SUITE_P(BigVision,
                         Optimizer,
                         testing::ValuesIn(big_vision_cases(golden_specs())),
                         kNameOf);

class AnySchedule : public testing::TestWithParam<ScheduleCase> {};

TEST_P(AnySchedule, AgreesAtEveryStep) {
  const std::vector<float> expected = golden(file_of(GetParam().name, "schedules")).front();
  graph::Tracer tracer;
  std::vector<Value> out;
  for (std::size_t step = 0; step < expected.size(); ++step) {
    const Value number = graph::constant(static_cast<double>(step), f32);
    out.push_back(graph::reshape(GetParam().schedule(number), {1}));
  }
  const auto program = runtime::test_client().compile(tracer.finish({graph::concatenate(out, 0)}));
  const HostTensor ours = run(program, {}).front();
  for (std::size_t step = 0; step < expected.size(); ++step) {
    const float found = ours.values<float>()[step];
    if (found == expected[step]) continue;  // infinities
    EXPECT_NEAR(found, expected[step], 2e-6 * std::abs(expected[step]) + 1e-7) << "step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Axlearn,
                         AnySchedule,
                         testing::ValuesIn(axlearn_schedule_cases()),
                         kNameOf);
INSTANTIATE_TEST_SUITE_P(T5x, AnySchedule, testing::ValuesIn(t5x_schedule_cases()), kNameOf);
INSTANTIATE_TEST_SUITE_P(BigVision,
                         AnySchedule,
                         testing::ValuesIn(big_vision_schedule_cases()),
                         kNameOf);

INSTANTIATE_TEST_SUITE_P(Seqax, AnySchedule, testing::ValuesIn(seqax_schedule_cases()), kNameOf);

}  // namespace
}  // namespace meshwright::optim
