// SPDX-License-Identifier: Apache-2.0
// For tests that compare a kernel with its formula. A test has a Case, and in its namespace
//       std::vector<spmd::Input> inputs_of(const Case&, const mesh::Sharding& of_batches);
//       std::vector<Value> results(form, const Case&, std::span<const Value> inputs);
#pragma once

#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "spmd_testutil.h"

namespace meshwright::kernels {

/// Returns the results of a form (the kernel or the formula), with the inputs' batches sharded over
/// the axis "data".
template <typename Form, typename Case>
spmd::Outcome run_with(Form form,
                       const Case& c,
                       const mesh::Mesh& mesh = {},
                       const mesh::AxisRules& rules = {},
                       const graph::ProgramTarget& target = {}) {
  mesh::Sharding lies;
  if (mesh.num_devices() > 1) lies = mesh::Sharding{{{"data"}}};
  auto body = [&](std::span<const graph::Value> in) { return results(form, c, in); };
  return spmd::run_on(mesh, inputs_of(c, lies), body, rules, target);
}

/// Returns the kernel's results for a case in bf16, and those of its formula in f32 for equal
/// operands.
template <typename Kernel, typename Formula, typename Case>
std::pair<spmd::Outcome, spmd::Outcome> run_in_bf16_and_f32(Kernel kernel,
                                                            Formula formula,
                                                            const Case& in_bf16,
                                                            const Case& in_f32) {
  const std::vector<spmd::Input> inputs = spmd::rounded_to_bf16(inputs_of(in_bf16));
  auto run = [&](auto form, const Case& c) {
    return spmd::run_on({}, inputs,
                        [&](std::span<const graph::Value> in) { return results(form, c, in); });
  };
  return {run(kernel, in_bf16), run(formula, in_f32)};
}

template <typename Form, typename Case>
void expect_same_bits_each_time(Form form, const Case& c) {
  const spmd::Outcome first = run_with(form, c), second = run_with(form, c);
  ASSERT_EQ(first.results.size(), second.results.size());
  for (std::size_t i = 0; i < first.results.size(); ++i)
    EXPECT_EQ(first.results[i].to_doubles(), second.results[i].to_doubles()) << "result " << i;
}

}  // namespace meshwright::kernels
