// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/kernels/update/update_op.h"

namespace meshwright::kernels {
namespace {

using ::testing::ElementsAre;
using Kind = UpdateStep::Kind;

StepOfCall step(Kind kind, std::vector<int> operands) {
  return {.numbers = {.kind = kind}, .operands = std::move(operands)};
}

// An array with Adam between other steps, and one without slots.
UpdateAttrs two_arrays() {
  StepOfCall adam = step(Kind::adam, {9, 10, 11});
  adam.numbers.nesterov = true;
  adam.numbers.b1 = 0.9;
  adam.numbers.b2 = 0.99;
  adam.numbers.eps = 1e-8;
  adam.numbers.eps_root = 1e-9;
  return {{{.param = 0,
            .gradient = 1,
            .condition = 2,
            .average = 3,
            .average_decay = 4,
            .slots = {5, 6},
            .steps = {step(Kind::scale_or_drop, {7}), adam, step(Kind::add_param, {12}),
                      step(Kind::scale, {13})}},
           {.param = 14, .gradient = 15, .steps = {step(Kind::scale, {16})}}}};
}

TEST(UpdateCode, IsReadAsItWasWritten) {
  const std::vector<std::int64_t> codes = encoded(two_arrays());
  std::int64_t at = 0;
  const UpdateCode first = decoded(codes, at);
  EXPECT_EQ(first.core, Kind::adam);
  EXPECT_TRUE(first.nesterov);
  EXPECT_EQ(first.param, 0);
  EXPECT_EQ(first.gradient, 1);
  EXPECT_EQ(first.condition, 2);
  EXPECT_EQ(first.average, 3);
  EXPECT_EQ(first.average_decay, 4);
  EXPECT_THAT(first.slots, ElementsAre(5, 6));
  EXPECT_EQ(first.first_result, 0);
  EXPECT_THAT(first.core_operands, ElementsAre(9, 10, 11));
  ASSERT_EQ(first.before.size(), 1u);
  EXPECT_EQ(first.before[0].kind, Kind::scale_or_drop);
  EXPECT_EQ(first.before[0].operand, 7);
  ASSERT_EQ(first.behind.size(), 2u);
  EXPECT_EQ(first.behind[0].kind, Kind::add_param);
  EXPECT_EQ(first.behind[1].operand, 13);

  const UpdateCode second = decoded(codes, at);
  EXPECT_EQ(second.core, Kind::scale);
  EXPECT_FALSE(second.nesterov);
  EXPECT_EQ(second.condition, -1);
  EXPECT_EQ(second.first_result, 4);
  EXPECT_EQ(second.before[0].operand, 16);
  EXPECT_EQ(second.behind.size(), 0u);
  EXPECT_EQ(at, std::ssize(codes));
}

// Programs in caches hold these integers: another order needs another version of the handler.
TEST(UpdateCode, KeepsItsOrder) {
  EXPECT_THAT(encoded(two_arrays()),
              ElementsAre(3, 1, 0, 1, 2, 3, 4, 5, 6, 0, 9, 10, 11, 2, 1, 7, 4, 2, 12, 0, 13,  //
                          0, 0, 14, 15, -1, -1, -1, -1, -1, 4, -1, -1, -1, 2, 0, 16, 0));
}

TEST(UpdateCode, HasTheNumbersOfEachArray) {
  const std::vector<double> numbers = encoded_numbers(two_arrays());
  EXPECT_THAT(numbers, ElementsAre(0.9, 0.99, 1e-8, 1e-9, 0, 0, 0, 0));
  EXPECT_EQ(num_arrays(numbers), 2);
  const CoreNumbers first = decoded_numbers(numbers, 0);
  EXPECT_EQ(first.b1, 0.9);
  EXPECT_EQ(first.b2, 0.99);
  EXPECT_EQ(first.eps, 1e-8);
  EXPECT_EQ(first.eps_root, 1e-9);
  EXPECT_EQ(decoded_numbers(numbers, 1).b1, 0);
}

}  // namespace
}  // namespace meshwright::kernels
