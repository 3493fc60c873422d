// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/step/state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/optim/optimizers/adamw.h"
#include "meshwright/optim/optimizers/optax_adafactor.h"

namespace meshwright::train {
namespace {

using mesh::Sharding;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

ParamSpec spec_of(Dims dims, std::vector<std::string> axes) {
  ParamSpec out;
  out.type = {f32, std::move(dims)};
  out.axes = std::move(axes);
  return out;
}

ParamSpecs two_params() {
  ParamSpecs out;
  out["decoder/w"] = spec_of({4, 64, 32}, {"layers", "embed", "mlp"});
  out["decoder/norm"] = spec_of({64}, {"embed"});
  return out;
}

Placement placement() {
  return {.mesh = mesh::Mesh({{"data", 2}, {"fsdp", 4}}), .params = {{"embed", {"fsdp"}}}};
}

StateLayout layout_of(const ParamSpecs& params,
                      const optim::Transform& optimizer,
                      const Placement& place) {
  return state_layout(params, optim::Learner(optim::learn_by(optimizer), params), place);
}

// Returns the shardings of the arrays whose path has this suffix.
std::vector<Sharding> shardings_of(const StateLayout& layout, std::string_view end) {
  std::vector<Sharding> out;
  for (const auto& [path, sharding] : flatten(layout.shardings)) {
    if (path.ends_with(end)) out.push_back(sharding);
  }
  return out;
}

optim::Transform adamw() {
  return optim::adamw({.learning_rate = optim::constant(0.1)});
}

TEST(StateLayout, SlotsLieAsTheirParameters) {
  StateLayout layout = layout_of(two_params(), adamw(), placement());
  const Sharding w{{{}, {"fsdp"}}}, norm{{{"fsdp"}}};
  EXPECT_THAT(shardings_of(layout, "decoder/w"), ElementsAre(w, w, w));  // with mu and nu
  EXPECT_THAT(shardings_of(layout, "decoder/norm"), ElementsAre(norm, norm, norm));
  EXPECT_THAT(shardings_of(layout, "count"), testing::Each(Sharding{}));
}

TEST(StateLayout, AParametersOwnSpecOverridesTheRules) {
  ParamSpecs params = two_params();
  params.at("decoder/w").value().mesh_axes = "('data', None, 'fsdp')";
  const Sharding w{{{"data"}, {}, {"fsdp"}}};
  EXPECT_THAT(shardings_of(layout_of(params, adamw(), placement()), "decoder/w"),
              ElementsAre(w, w, w));
  params.at("decoder/w").value().mesh_axes = "('data', None, 'data')";
  EXPECT_THAT(message_of([&] { layout_of(params, adamw(), placement()); }),
              AllOf(HasSubstr("parameter 'decoder/w'"), HasSubstr("data")));
}

TEST(StateLayout, FactoredSlotsLieAsTheDimensionsTheyKeep) {
  ParamSpecs params = two_params();
  params.at("decoder/w").value().mesh_axes = "('data', None, 'fsdp')";
  optim::Transform adafactor =
      optim::optax_adafactor({.learning_rate = optim::constant(0.1), .min_dim_size_to_factor = 32});
  StateLayout layout = layout_of(params, adafactor, placement());
  // For [layers embed mlp], the column omits one of the two largest dimensions and the row the
  // other.
  std::vector<Sharding> factors = {shardings_of(layout, "v_row/decoder/w").at(0),
                                   shardings_of(layout, "v_col/decoder/w").at(0)};
  EXPECT_THAT(factors, testing::UnorderedElementsAre(Sharding{{{"data"}, {"fsdp"}}},
                                                     Sharding{{{"data"}, {}}}));
}

TEST(StateLayout, RefusesAnArrayThatNoDeviceCouldHold) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 30;
  ParamSpecs params = two_params();
  params["decoder/huge"] = spec_of({kHuge, 1024}, {"embed", "mlp"});
  Placement whole;
  EXPECT_THAT(message_of([&] { layout_of(params, adamw(), whole); }),
              AllOf(HasSubstr("decoder/huge' is f32[1073741824,1024], which takes"),
                    HasSubstr("on each device")));
  (void)layout_of(params, adamw(), placement());  // split over four devices
  params["decoder/huge"] = spec_of({kHuge, kHuge}, {"embed", "mlp"});
  EXPECT_THAT(message_of([&] { layout_of(params, adamw(), placement()); }),
              HasSubstr("decoder/huge"));
}

TEST(StateLayout, StrategiesDecideByPath) {
  Placement place = placement();
  place.strategies = {{Regex(".*/w"), "partition_spec('data', None, 'fsdp')"},
                      {Regex(".*/absent"), "replicate"},
                      {Regex(".*"), "logical_partitioning"}};
  StateLayout layout = layout_of(two_params(), adamw(), place);
  const Sharding w{{{"data"}, {}, {"fsdp"}}}, norm{{{"fsdp"}}};
  EXPECT_THAT(shardings_of(layout, "decoder/w"), ElementsAre(w, w, w));
  EXPECT_THAT(shardings_of(layout, "decoder/norm"), ElementsAre(norm, norm, norm));
  EXPECT_THAT(layout.warnings, ElementsAre(HasSubstr("'.*/absent' applies to no parameter")));
  place.strategies.pop_back();
  EXPECT_THAT(message_of([&] { layout_of(two_params(), adamw(), place); }),
              AllOf(HasSubstr("'decoder/norm'"), HasSubstr("end the list with '.*'")));
}

}  // namespace
}  // namespace meshwright::train
