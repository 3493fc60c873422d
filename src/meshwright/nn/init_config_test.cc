// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/init_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/config/config.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/nn/orthogonal.h"

namespace meshwright::nn {
namespace {

using testing::HasSubstr;

struct Settings {
  InitConfig init;
  void fields(auto& f) { f.required("init", init, "under test"); }
};

Init read(const std::string& table) {
  return init_of(config::from_toml<Settings>("init = " + table).init);
}

// Returns the program that draws an array.
std::string drawing(const Init& init) {
  graph::Tracer tracer;
  InitShape shape{.dims = {4, 2, 3}, .axes = {"embed", "kv", "dim"}, .fan_axes = {.in = "embed"}};
  return write_stablehlo(tracer.finish({init(graph::random::key(1), shape)}));
}

TEST(InitConfig, EachTypeIsTheInitialiserOfThatName) {
  const std::pair<std::string, Init> cases[] = {
      {"{ type = 'constant', value = 0.5 }", constant_init(0.5)},
      {"{ type = 'normal', stddev = 0.02 }", normal(0.02)},
      {"{ type = 'truncated_normal', stddev = 0.1 }", truncated_normal(0.1)},
      {"{ type = 'truncated_normal', stddev = 0.1, low = -3, high = 1 }",
       truncated_normal(0.1, -3, 1)},
      {"{ type = 'uniform', scale = 0.3 }", uniform(0.3)},
      {"{ type = 'variance_scaling' }", fan_in("embed")},
      {"{ type = 'variance_scaling', scale = 2, distribution = 'normal', fan = 'average' }",
       variance_scaling({.scale = 2,
                         .fan = Fan::average,
                         .distribution = Distribution::normal,
                         .axes = {.in = "embed"}})},
      {"{ type = 'variance_scaling', in = 'embed kv', out = 'dim' }", fan_in("embed kv")},
      {"{ type = 'orthogonal', scale = 2, column = 'kv' }", orthogonal(2, "kv")}};
  for (const auto& [table, init] : cases)
    EXPECT_EQ(drawing(read(table)), drawing(init)) << table;
}

TEST(InitConfig, EmptyRangesAreAnError) {
  EXPECT_THAT(message_of([] { read("{ type = 'truncated_normal', stddev = 1, low = 3 }"); }),
              HasSubstr("must be more than `low`"));
}

}  // namespace
}  // namespace meshwright::nn
