// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gtest/gtest.h>

#include "meshwright/base/str.h"
#include "meshwright/cli/run_config.h"
#include "meshwright/config/config.h"
#include "meshwright/data/core/lm_batch.h"

namespace meshwright::cli {
namespace {

// Tasks that leave padding out of the loss take negative targets.
bool leaves_out_padding(const std::string& model_keys) {
  const auto config = config::from_toml<RunConfig>(str(R"(
data = { type = "random_tokens", batch_size = 2, length = 4, vocab_size = 8 }
optimizer = { type = "adamw", learning_rate = 1e-3 }
[task]
type = "lm"
model = { vocab = 8, )",
                                                       model_keys, " }\n"));
  const data::SourcePtr source = data::make_source(config.data, {});
  for (const data::IntegerRange& range :
       make_task(config.task, *source, config.data)->integer_ranges()) {
    if (range.array == data::kTargets) return range.may_be_negative;
  }
  ADD_FAILURE() << "no range of targets";
  return false;
}

TEST(TaskDefaults, PaddingFollowsTheSystemOfTheModelsStyle) {
  EXPECT_TRUE(leaves_out_padding(R"(style = "fuji")"));
  EXPECT_TRUE(leaves_out_padding(R"(style = "fuji", dropout = 0.5)"));
  for (const char* style : {"llama", "seqax", "gpt2"})
    EXPECT_FALSE(leaves_out_padding(str("style = \"", style, "\""))) << style;
}

}  // namespace
}  // namespace meshwright::cli
