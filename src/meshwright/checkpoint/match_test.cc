// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/match.h"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/checkpoint/checkpoint_testutil.h"
#include "meshwright/checkpoint/format.h"
#include "meshwright/io/memory_file_system.h"

namespace meshwright::checkpoint {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Tree<ArrayType> tree(const std::vector<std::pair<std::string, ArrayType>>& entries) {
  return unflatten(entries);
}

const Tree<ArrayType> kStored = tree({{"model/w", {f32, {4}}}, {"model/b", {bf16, {2}}}});

TEST(Match, TakesWhatIsEqual) {
  for (Match match :
       {Match::exact, Match::exact_up_to_dtype, Match::contains, Match::contains_up_to_dtype})
    EXPECT_THAT(differing_lines(kStored, kStored, match), IsEmpty());
}

TEST(Match, TakesOtherDTypesOnlyIfToldTo) {
  Tree<ArrayType> wanted = tree({{"model/w", {bf16, {4}}}, {"model/b", {bf16, {2}}}});
  EXPECT_THAT(differing_lines(kStored, wanted, Match::exact_up_to_dtype), IsEmpty());
  EXPECT_THAT(differing_lines(kStored, wanted, Match::contains_up_to_dtype), IsEmpty());
  for (Match match : {Match::exact, Match::contains}) {
    EXPECT_THAT(differing_lines(kStored, wanted, match),
                ElementsAre("- model/w f32[4]", "+ model/w bf16[4]"));
  }
}

TEST(Match, TakesMoreOnlyIfToldTo) {
  Tree<ArrayType> wanted = tree({{"model/w", {f32, {4}}}});
  EXPECT_THAT(differing_lines(kStored, wanted, Match::contains), IsEmpty());
  EXPECT_THAT(differing_lines(kStored, wanted, Match::contains_up_to_dtype), IsEmpty());
  for (Match match : {Match::exact, Match::exact_up_to_dtype})
    EXPECT_THAT(differing_lines(kStored, wanted, match), ElementsAre("- model/b bf16[2]"));
}

TEST(Match, SaysAllThatDiffers) {
  Tree<ArrayType> wanted =
      tree({{"model/w", {f32, {5}}}, {"model/bb", {bf16, {2}}}, {"extra", {f32, {}}}});
  for (Match match : {Match::contains_up_to_dtype, Match::exact}) {
    std::vector<std::string> lines = differing_lines(kStored, wanted, match);
    EXPECT_THAT(lines,
                testing::IsSupersetOf({HasSubstr("- model/w f32[4]"), HasSubstr("+ model/w f32[5]"),
                                       HasSubstr("+ extra f32[]")}));
    EXPECT_THAT(join(lines, "\n"), HasSubstr("did you mean 'model/b'"));
  }
}

TEST(Match, SelectsWhatIsWanted) {
  auto files = std::make_shared<io::MemoryFileSystem>();
  const Format& format = format_named("native");
  write_step(format, files, "", sample_contents(1));
  Stored stored = format.open(files, "step_00000001");
  Tree<ArrayType> wanted = tree({{"model/bias", {bf16, {5}}}});
  EXPECT_EQ(select(stored, wanted, Match::contains).arrays.num_leaves(), 1u);
  try {
    select(stored, tree({{"model/bias", {bf16, {6}}}}), Match::contains);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("- model/bias bf16[5]"), HasSubstr("+ model/bias bf16[6]")));
  }
}

}  // namespace
}  // namespace meshwright::checkpoint
