// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/contents/match.h"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/checkpoint/checkpoint_testutil.h"
#include "meshwright/checkpoint/format/format.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"
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

TEST(Match, TakesNoFloatsForWholeNumbers) {
  Tree<ArrayType> wanted = tree({{"model/w", {s32, {4}}}, {"model/b", {bf16, {2}}}});
  for (Match match : {Match::exact_up_to_dtype, Match::contains_up_to_dtype}) {
    EXPECT_THAT(differing_lines(kStored, wanted, match),
                ElementsAre("- model/w f32[4]", "+ model/w s32[4]"));
  }
}

Stored stored_in_memory() {
  return {.step = 1, .arrays = map(sample_contents(1).arrays, [](const ArrayParts& array) {
                       return stored_value(array);
                     })};
}

TEST(Match, GivesTheDTypesThatAreWanted) {
  Tree<ArrayType> wanted = tree({{"model/bias", {f32, {5}}}});
  Stored found = select(stored_in_memory(), wanted, Match::contains_up_to_dtype);
  EXPECT_EQ(found.arrays.at("model/bias").value().read().dtype(), f32);
}

TEST(Match, TakesWhatIsMissingFromElsewhere) {
  const HostTensor two = HostTensor::scalar(2.0F);
  const Tree<StoredArray> fallback = unflatten<StoredArray>(
      {{"model/gain", stored_value(two)}, {"model/bias", stored_value(two)}});
  std::vector<std::string> taken;
  Tree<ArrayType> wanted = tree({{"model/gain", {f32, {}}}, {"model/bias", {bf16, {5}}}});
  Stored found = select(stored_in_memory(), wanted, Match::contains, fallback, taken);
  EXPECT_THAT(taken, ElementsAre("model/gain"));
  EXPECT_EQ(found.arrays.at("model/gain").value().read().to_doubles()[0], 2.0);
  EXPECT_EQ(found.arrays.at("model/bias").value().type(), (ArrayType{bf16, {5}}));

  wanted["model/other"] = ArrayType{f32, {}};
  EXPECT_THROW(select(stored_in_memory(), wanted, Match::contains, fallback, taken), Error);
}

TEST(Match, SelectsWhatIsWanted) {
  auto files = std::make_shared<io::MemoryFileSystem>();
  const Format& format = format_named("native");
  write_checkpoint(format, files, "", sample_contents(1));
  Stored stored = format.open(files, "step_00000001");
  Tree<ArrayType> wanted = tree({{"model/bias", {bf16, {5}}}});
  EXPECT_EQ(select(stored, wanted, Match::contains).arrays.num_leaves(), 1u);
  const Error error = thrown_by([&] {
    select(stored, tree({{"model/bias", {bf16, {6}}}}), Match::contains);
  });
  EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(error.what(),
              AllOf(HasSubstr("- model/bias bf16[5]"), HasSubstr("+ model/bias bf16[6]")));
}

}  // namespace
}  // namespace meshwright::checkpoint
