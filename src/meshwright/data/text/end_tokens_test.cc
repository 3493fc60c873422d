// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/text/end_tokens.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/temporary_folder_testutil.h"
#include "meshwright/data/text/kept_tokenizer.h"

namespace meshwright::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class EndTokens : public testing::Test {
 protected:
  EndTokens() {
    write("tokenizer.json", R"({"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "<|im_end|>": 2,
      "<|eot_id|>": 3}, "merges": []}})");
  }
  void write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_.path() / name, std::ios::binary) << content;
  }
  std::vector<tokenizers::Id> found() const {
    return open_with_ends(folder_.path().string()).end_tokens;
  }

  TemporaryFolder folder_;
};

TEST_F(EndTokens, AreThoseOfTheGenerationConfig) {
  EXPECT_THAT(found(), IsEmpty());
  write("generation_config.json", R"({"eos_token_id": 1, "top_k": 5})");
  EXPECT_THAT(found(), ElementsAre(1));
  write("generation_config.json", R"({"eos_token_id": [1, 0, 1]})");
  EXPECT_THAT(found(), ElementsAre(1, 0));
  for (const char* none : {R"({"eos_token_id": null})", "{}", R"({"eos_token_id": []})"}) {
    write("generation_config.json", none);
    EXPECT_THAT(found(), IsEmpty()) << none;
  }
}

TEST_F(EndTokens, AreTheEndsOfTurnsInChatTemplates) {
  const std::string turn = "{{ '<|im_start|>' + m.role }}{{ m.content }}<|im_end|>";
  write("tokenizer_config.json", R"({"chat_template": ")" + turn + R"("})");
  EXPECT_THAT(found(), ElementsAre(2));
  write("tokenizer_config.json",
        R"({"chat_template": [{"name": "default", "template": ")" + turn +
            R"("}, {"name": "tools", "template": "<|eot_id|><end_of_turn>"}]})");
  EXPECT_THAT(found(), testing::UnorderedElementsAre(2, 3));
  write("tokenizer_config.json", R"({"chat_template": null})");
  EXPECT_THAT(found(), IsEmpty());
  write("chat_template.jinja", "{{ content }}<|eot_id|>");
  write("generation_config.json", R"({"eos_token_id": [0]})");
  EXPECT_THAT(found(), ElementsAre(0, 3));
}

TEST_F(EndTokens, AreKeptInOneFile) {
  write("generation_config.json", R"({"eos_token_id": [1]})");
  write("chat_template.jinja", "<|im_end|>");
  const auto kept = kept_files(open_with_ends((folder_.path() / "tokenizer.json").string()));
  EXPECT_EQ(kept.at("generation_config.json"), "{\"eos_token_id\":[1,2]}\n");
  std::filesystem::remove(folder_.path() / "chat_template.jinja");
  write("generation_config.json", kept.at("generation_config.json"));
  EXPECT_THAT(open_kept_tokenizer(folder_.path().string()).end_tokens, ElementsAre(1, 2));
}

TEST_F(EndTokens, OfADamagedFileAreAnErrorThatNamesIt) {
  for (const char* damaged : {"{", "[]", R"({"eos_token_id": "</s>"})", R"({"eos_token_id": -1})",
                              R"({"eos_token_id": 4294967296})", R"({"eos_token_id": [1.5]})"}) {
    write("generation_config.json", damaged);
    EXPECT_THAT(message_of([&] { found(); }), HasSubstr("generation_config.json")) << damaged;
  }
  write("generation_config.json", "{}");
  write("tokenizer_config.json", R"({"chat_template": [{"name": "default"}]})");
  EXPECT_THAT(message_of([&] { found(); }), HasSubstr("tokenizer_config.json"));
}

}  // namespace
}  // namespace meshwright::data
