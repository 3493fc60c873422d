// SPDX-License-Identifier: Apache-2.0
#include "meshwright/autodiff/tree_grad.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/graph/ops/all_ops.h"
#include "meshwright/graph/text/writer.h"

namespace meshwright::autodiff {
namespace {

using testing::HasSubstr;

const std::vector<ArrayType> kTypes = {{f32, {4}}, {f32, {4}}, {f32, {4}}};

// Named such that the names sort in the order of the arguments.
ValueTree parameters(std::span<const Value> args) {
  ValueTree tree;
  tree["norm"] = args[2];
  tree["layer/w"] = args[1];
  tree["layer/b"] = args[0];
  return tree;
}

Value model(Value b, Value w, Value norm) {
  return tanh(w * norm + b);
}

std::string text_of(const graph::Tracer::Body& body) {
  return write_stablehlo(graph::trace(kTypes, body));
}

TEST(TreeGrad, IsTheGradientOfTheListWithNames) {
  auto with_list = [](std::span<const Value> args) {
    auto loss = [](Value b, Value w, Value norm) {
      Value y = model(b, w, norm);
      return std::vector{reduce_sum(y, {0}), y * 2};
    };
    ValueAndGrad found = value_and_grad(loss, args);
    return std::vector{found.value, found.aux[0], found.gradients[1], found.gradients[2]};
  };
  auto with_tree = [](std::span<const Value> args) {
    auto loss = [](const ValueTree& p) {
      Value y = model(p.at("layer/b").value(), p.at("layer/w").value(), p.at("norm").value());
      Loss out{reduce_sum(y, {0}), {}};
      out.aux["metrics/twice"] = y * 2;
      return out;
    };
    LossAndGrad found = value_and_grad(loss, parameters(args));
    return std::vector{found.value, found.aux.at("metrics/twice").value(),
                       found.gradients.at("layer/w").value(), found.gradients.at("norm").value()};
  };
  EXPECT_EQ(text_of(with_tree), text_of(with_list));
}

TEST(TreeGrad, WithoutAuxHasTheNamesOfTheParameters) {
  graph::trace(kTypes, [](std::span<const Value> args) {
    ValueTree p = parameters(args);
    auto loss = [](const ValueTree& q) { return reduce_sum(q.at("layer/w").value(), {0}); };
    ValueTree gradients = grad(loss, p);
    check_same_structure(p, gradients);
    EXPECT_EQ(gradients.at("norm").value().type(), p.at("norm").value().type());
    return leaves(gradients);
  });
}

TEST(TreeGrad, NamesAParameterWithoutGradient) {
  graph::trace({{s32, {}}}, [](std::span<const Value> args) {
    ValueTree p;
    p["layer/step"] = args[0];
    auto loss = [](const ValueTree& q) { return q.at("layer/step").value(); };
    EXPECT_THAT(message_of([&] { grad(loss, p); }),
                HasSubstr("parameter 'layer/step' is s32[], which has no gradient"));
    return std::vector{args[0]};
  });
}

}  // namespace
}  // namespace meshwright::autodiff
