// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/core/integer_range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/data/pipeline/prefetcher.h"

namespace meshwright::data {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr Rows kRows{.start = 8, .stop = 10};  // of the whole batch

template <typename T>
std::string complaint(const std::vector<T>& values, const IntegerRange& range) {
  Batch batch;
  batch["tokens"] = HostTensor::from(values, {2, 3});
  batch["weights"] = HostTensor::from(std::vector<float>{1, 1, 1, 1, 0, 0.5F}, {2, 3});
  return message_of([&] { check_integers(batch, {range}, kRows); });
}

TEST(CheckIntegers, NamesTheFirstThatIsOutside) {
  using Tokens = std::vector<std::int32_t>;
  const IntegerRange range{"tokens", 256};
  EXPECT_EQ(complaint(Tokens{0, 255, 3, 4, 5, 6}, range), "no error");
  EXPECT_THAT(complaint(Tokens{0, 255, 3, 4, 999, 256}, range),
              HasSubstr("'tokens' is 999 in row 9, position 1, but the model accepts 0 to 255"));
  EXPECT_THAT(complaint(Tokens{256, 0, 0, 0, 0, 0}, range),
              HasSubstr("is 256 in row 8, position 0"));
  EXPECT_THAT(complaint(Tokens{0, 0, 0, 0, 0, -1}, range), HasSubstr("is -1 in row 9, position 2"));
}

TEST(CheckIntegers, TakesAnyDtype) {
  const IntegerRange range{"tokens", 256};
  EXPECT_EQ(complaint(std::vector<std::int64_t>{0, 255, 3, 4, 5, 6}, range), "no error");
  EXPECT_THAT(complaint(std::vector<std::int64_t>{0, 0, 1L << 40, 0, 0, 0}, range),
              HasSubstr("is 1099511627776 in row 8, position 2"));
  EXPECT_THAT(complaint(std::vector<std::uint16_t>{0, 0, 0, 65535, 0, 0}, range),
              HasSubstr("is 65535 in row 9, position 0"));
}

TEST(CheckIntegers, LooksAtWhatCountsOnly) {
  using Tokens = std::vector<std::int32_t>;
  const IntegerRange range{"tokens", 256, "weights"};
  EXPECT_EQ(complaint(Tokens{0, 1, 2, 3, -100, 4}, range), "no error");
  EXPECT_EQ(complaint(Tokens{0, 1, 2, 3, 999, 4}, range), "no error");
  EXPECT_THAT(complaint(Tokens{0, 1, 2, 3, 4, 999}, range),
              HasSubstr("is 999 in row 9, position 2"));
  EXPECT_THAT(complaint(Tokens{-100, 1, 2, 3, 4, 5}, range), HasSubstr("is -100 in row 8"));
  const IntegerRange ignored{.array = "tokens", .size = 256, .may_be_negative = true};
  EXPECT_EQ(complaint(Tokens{-100, 1, 2, 3, 4, 5}, ignored), "no error");
  EXPECT_THAT(complaint(Tokens{-100, 1, 2, 3, 4, 256}, ignored), HasSubstr("is 256 in row 9"));
}

TEST(CheckIntegers, LeavesOutArraysThatAreNotThere) {
  EXPECT_EQ(complaint(std::vector<std::int32_t>(6, 999), {"labels", 4}), "no error");
}

// A source whose tokens equal the number of their batch.
class Numbers : public Source {
 public:
  Numbers() { spec_["tokens"] = array_spec(s32, {4}, "batch"); }
  std::string name() const override { return "numbers"; }
  const BatchSpec& spec() const override { return spec_; }
  Tree<Scalar> identity() const override { return {}; }
  Batch batch(std::int64_t step, Rows rows) const override {
    Batch out;
    out["tokens"] =
        HostTensor::from(std::vector<std::int32_t>(static_cast<std::size_t>(rows.size()),
                                                   static_cast<std::int32_t>(step)),
                         {rows.size()});
    return out;
  }

 private:
  BatchSpec spec_;
};

TEST(CheckIntegers, PrefetchedBatchesAreCheckedWhenTheirTurnComes) {
  Prefetcher batches(std::make_shared<Numbers>(), {.ranges = {{"tokens", 3}}});
  for (int step = 0; step < 3; ++step)
    EXPECT_TRUE(batches.next().has_value());
  EXPECT_THAT(message_of([&] { batches.next(); }),
              AllOf(HasSubstr("data: batch 3 of source 'numbers'"),
                    HasSubstr("'tokens' is 3 in row 0, but the model accepts 0 to 2")));
}

}  // namespace
}  // namespace meshwright::data
