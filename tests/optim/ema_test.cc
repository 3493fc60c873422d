// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/transforms/ema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run_updates.h"

namespace meshwright::optim {
namespace {

// The largest value of a column uses the full integer range, and a column of zeros stays zero.
TEST(Ema, StoresTheLargestOfAColumnAsTheLastStep) {
  ParamSpecs specs;
  specs["w"] = spec_of({3, 2}, "embed mlp");
  Learner learner(learn_by(ema({.decay = constant(0.5), .dtype = DType::s8})), specs);
  HostTree params, gradients;
  params["w"] = HostTensor(ArrayType{f32, {3, 2}});
  gradients["w"] = HostTensor::from(std::vector<float>{2, 0, -1, 0, 0, 0}, {3, 2});
  Updates run = run_updates(learner, params, {gradients, gradients});
  HostTree found;
  for_each(run.state, [&](const std::string& path, const HostTensor& value) {
    found[path.substr(path.rfind('/', path.rfind('/') - 1) + 1)] = value;  // ema/w, scale/w
  });
  EXPECT_THAT(found.at("ema/w").value().to_doubles(), testing::ElementsAre(127, 0, -64, 0, 0, 0));
  EXPECT_NEAR(found.at("scale/w").value().to_doubles()[0], 1.5 / 127, 1e-6);
  EXPECT_EQ(found.at("scale/w").value().to_doubles()[1], 0);
}

}  // namespace
}  // namespace meshwright::optim
