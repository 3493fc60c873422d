// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/client_args.h"

#include <gtest/gtest.h>

#include "meshwright/config/config.h"

namespace meshwright::cli {
namespace {

TEST(ClientArgs, TakeTheMemoryOfGpusFromTheConfig) {
  const auto given = config::from_toml<MeshConfig>(
      "platform = 'cuda'\nmemory_fraction = 0.5\npreallocate = false");
  const runtime::ClientOptions options = client_options(given, {.plugin = "p.so"});
  EXPECT_EQ(options.platform, "cuda");
  EXPECT_EQ(options.memory_fraction, 0.5);
  EXPECT_FALSE(options.preallocate);
  EXPECT_EQ(options.plugin_path, "p.so");
  EXPECT_TRUE(client_options({}, {}).preallocate);
}

}  // namespace
}  // namespace meshwright::cli
