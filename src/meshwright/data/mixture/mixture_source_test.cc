// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/mixture/mixture_source.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/data/core/forwarding_source.h"
#include "meshwright/data/core/in_memory.h"
#include "meshwright/data/core/source_testutil.h"
#include "meshwright/data/core/state.h"
#include "meshwright/data/generated/synthetic.h"

namespace meshwright::data {
namespace {

using ::testing::ElementsAre;

// Examples first, first + 1, ...
SourcePtr numbers(int first, int count, InMemoryOptions options) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), first);
  return in_memory({{"x", HostTensor::from(values, {count}), "batch"}}, std::move(options));
}

constexpr std::int64_t kBatch = 8;

// Parts of 100, 30 and 7 examples: 1000 to 1099, 2000 to 2029, 3000 to 3006.
std::vector<MixturePart> three_parts(std::vector<double> weights = {5, 2, 1}) {
  return {{"large", numbers(1000, 100, {.batch_size = kBatch, .seed = 1}), weights.at(0)},
          {"small", numbers(2000, 30, {.batch_size = kBatch, .seed = 1}), weights.at(1)},
          {"tiny", numbers(3000, 7, {.batch_size = kBatch, .seed = 1}), weights.at(2)}};
}

std::vector<std::int32_t> rows_of(const Source& source, std::int64_t num_batches) {
  std::vector<std::int32_t> out;
  for (std::int64_t step = 0; step < num_batches; ++step) {
    const std::vector<std::int32_t> values = ints(whole_batch(source, step), "x");
    out.insert(out.end(), values.begin(), values.end());
  }
  return out;
}

// The rows of each part, in order of their occurrence or sorted.
std::map<int, std::vector<std::int32_t>> by_part(const std::vector<std::int32_t>& rows) {
  std::map<int, std::vector<std::int32_t>> out;
  for (const std::int32_t row : rows)
    out[row / 1000].push_back(row);
  return out;
}

TEST(Mixture, IsAPureFunctionOfTheStep) {
  for (const WhenFinished when : {WhenFinished::repeat, WhenFinished::stop, WhenFinished::drop})
    expect_pure(MixtureSource(three_parts(), {.seed = 4, .when_finished = when}), 6);
}

TEST(Mixture, EveryBatchHasEachPartsShare) {
  const MixtureSource source(three_parts(), {.seed = 4});
  std::set<std::vector<int>> orders;
  for (std::int64_t step = 0; step < 50; ++step) {
    const std::vector<std::int32_t> values = ints(whole_batch(source, step), "x");
    std::vector<int> parts;
    for (const std::int32_t value : values)
      parts.push_back(value / 1000);
    orders.insert(parts);
    EXPECT_EQ(std::ranges::count(parts, 1), 5);
    EXPECT_EQ(std::ranges::count(parts, 2), 2);
    EXPECT_EQ(std::ranges::count(parts, 3), 1);
  }
  EXPECT_GT(orders.size(), 20) << "rows of a part are at different places in each batch";
}

// Batches in which the shares are not whole numbers, so that parts finish within batches.
TEST(Mixture, EachPartsRowsAreThoseOfItsSourceInOrder) {
  const std::vector<MixturePart> parts = three_parts({0.61, 0.3, 0.09});
  const MixtureSource source(parts, {.seed = 4});
  std::map<std::size_t, std::vector<std::int64_t>> seen;
  for (std::int64_t step = 0; step < 40; ++step) {
    const std::vector<std::int32_t> values = ints(whole_batch(source, step), "x");
    const std::vector<PartRow> rows = source.part_rows(step, {0, kBatch});
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const PartRow& row = rows[i];
      const Batch own = whole_batch(*parts[row.part].source, row.row / kBatch);
      EXPECT_EQ(values[i], ints(own, "x")[static_cast<std::size_t>(row.row % kBatch)]);
      seen[row.part].push_back(row.row);
    }
  }
  for (auto& [part, rows] : seen) {
    std::ranges::sort(rows);
    for (std::size_t i = 0; i < rows.size(); ++i)
      ASSERT_EQ(rows[i], static_cast<std::int64_t>(i)) << "part " << part;
  }
}

TEST(Mixture, EveryEpochOfAPartHasEveryExampleOnce) {
  const auto parts = by_part(rows_of(MixtureSource(three_parts({1, 1, 1}), {.seed = 4}), 60));
  for (const auto& [part, size] : std::map<int, std::ptrdiff_t>{{1, 100}, {2, 30}, {3, 7}}) {
    // Batches draw their order, so that the last rows of an epoch mix with the first of the next.
    std::map<std::int32_t, int> counts;
    for (const std::int32_t value : parts.at(part))
      ++counts[value];
    EXPECT_EQ(std::ssize(counts), size);
    for (const auto& [value, count] : counts)
      EXPECT_LE(std::abs(count - counts.begin()->second), 1) << value;
  }
}

TEST(Mixture, StopsWhenAPartHasFinished) {
  std::vector<MixturePart> parts = three_parts({1, 1, 1});
  EXPECT_EQ(MixtureSource(parts, {.when_finished = WhenFinished::stop}).num_batches(), 2);
  parts[2].num_epochs = 3;
  const MixtureSource source(parts, {.when_finished = WhenFinished::stop});
  EXPECT_EQ(source.num_batches(), 8);
  EXPECT_EQ(by_part(rows_of(source, 8)).at(3).size(), 21);
  EXPECT_THAT([&] { source.batch(8, {0, 1}); }, throws_with("past the end"));
}

TEST(Mixture, DroppedPartsLeaveTheirPlaceToTheOthers) {
  const MixtureSource source(three_parts({1, 1, 1}), {.when_finished = WhenFinished::drop});
  ASSERT_EQ(source.num_batches(), 137 / 8);
  const std::vector<std::int32_t> rows = rows_of(source, 17);
  EXPECT_EQ(std::set(rows.begin(), rows.end()).size(), rows.size()) << "no example twice";
  const auto seen = by_part(rows);
  EXPECT_EQ(seen.at(3).size(), 7);
  EXPECT_EQ(seen.at(2).size(), 30);
  EXPECT_EQ(seen.at(1).size(), 99) << "136 rows in whole batches";
}

TEST(Mixture, GeneratedPartsHaveNoEnd) {
  const auto tokens = [](std::int64_t seed) {
    return std::make_shared<RandomTokens>(
        RandomTokensOptions{.batch_size = 4, .length = 3, .vocab_size = 9, .seed = seed});
  };
  const MixtureSource source({{"a", tokens(1)}, {"b", tokens(2)}},
                             {.when_finished = WhenFinished::drop});
  EXPECT_EQ(source.num_batches(), std::nullopt);
  EXPECT_EQ(source.batches_per_epoch(), std::nullopt);
  expect_pure(source, 3);
  EXPECT_THAT(source.uses(5), ElementsAre(PartUse{"a", 10}, PartUse{"b", 10}));
}

TEST(Mixture, CountsExamplesAndEpochsOfEachPart) {
  const MixtureSource source(three_parts({5, 2, 1}), {.seed = 4});
  EXPECT_THAT(source.uses(0), ElementsAre(PartUse{"large", 0, 0.0}, PartUse{"small", 0, 0.0},
                                          PartUse{"tiny", 0, 0.0}));
  EXPECT_THAT(source.uses(21), ElementsAre(PartUse{"large", 105, 1.05}, PartUse{"small", 42, 1.4},
                                           PartUse{"tiny", 21, 3.0}));
  EXPECT_EQ(source.batches_per_epoch(), 137 / 8.0);
  EXPECT_EQ(examples_per_pass(source), 137);
  EXPECT_EQ(taken(std::make_shared<MixtureSource>(source), 50)->uses(21), source.uses(21));
}

TEST(Mixture, AnyStepTakesTheSameTime) {
  const MixtureSource source(three_parts({0.61, 0.3, 0.09}), {.seed = 4});
  const std::int64_t step = 1'000'000'000'000;
  check_batch(source, whole_batch(source, step), kBatch);
  const std::vector<PartUse> uses = source.uses(step);
  EXPECT_NEAR(static_cast<double>(uses[0].num_examples), 0.61 * 8e12, 2);
  EXPECT_NEAR(static_cast<double>(uses[2].num_examples), 0.09 * 8e12, 2);
}

TEST(Mixture, ItsStateIsSmallAndNamesThePartThatDiffers) {
  std::vector<MixturePart> parts;
  for (int i = 0; i < 40; ++i)
    parts.push_back({str("part_", i), numbers(1000 * i, 50 + i, {.batch_size = kBatch})});
  const MixtureSource source(parts, {});
  std::size_t bytes = 0;
  for_each(state(source, 1234567), [&](const std::string& path, const Scalar& value) {
    bytes += path.size() + scalar_text(value).size();
  });
  EXPECT_LT(bytes, 10000);
  parts[7].source = numbers(7000, 58, {.batch_size = kBatch});
  EXPECT_THAT(
      [&] { num_batches_used(MixtureSource(parts, {}), state(source, 5), OnOtherData::refuse); },
      throws_with("'parts/part_7/data': '"));
}

TEST(Mixture, RefusesPartsThatDoNotFit) {
  const auto make = [](const std::vector<MixturePart>& parts, const MixtureOptions& options = {}) {
    return [=] { const MixtureSource source(parts, options); };
  };
  const SourcePtr good = numbers(0, 10, {.batch_size = 2});
  EXPECT_THAT(make({}), throws_with("no parts"));
  EXPECT_THAT(make({{"a", good}, {"a", good}}), throws_with("two parts are named 'a'"));
  EXPECT_THAT(make({{"a/b", good}}), throws_with("part 'a/b': names consist of"));
  EXPECT_THAT(make({{"a", good}, {"b", numbers(0, 10, {.batch_size = 3})}}),
              throws_with("parts 'a' and 'b' must have the same arrays\n'x': s32[2] and s32[3]"));
  EXPECT_THAT(make({{"a", good, 1, 2}}), throws_with("'a' ends, but the parts of this mixture"));
  EXPECT_THAT(make({{"a", numbers(0, 10, {.batch_size = 2, .num_epochs = 1})}}),
              throws_with("'a' ends, but"));
  EXPECT_THAT(make({{"a", good, 1, 0}}, {.when_finished = WhenFinished::drop}),
              throws_with("0 epochs"));
  EXPECT_THAT(
      make({{"a", numbers(0, 10, {.batch_size = 20})}}, {.when_finished = WhenFinished::stop}),
      throws_with("10 rows do not fill a batch of 20"));
}

TEST(Mixture, ErrorsNameThePart) {
  class Broken : public Source {
   public:
    explicit Broken(BatchSpec spec) : spec_(std::move(spec)) {}
    std::string name() const override { return "broken"; }
    const BatchSpec& spec() const override { return spec_; }
    Tree<Scalar> identity() const override { return {}; }
    Batch batch(std::int64_t, Rows) const override {
      fail(ErrorCode::data_loss, "record 7 is damaged");
    }

   private:
    BatchSpec spec_;
  };
  const SourcePtr good = numbers(0, 10, {.batch_size = 2});
  const MixtureSource source({{"good", good}, {"bad", std::make_shared<Broken>(good->spec())}}, {});
  EXPECT_THAT([&] { whole_batch(source, 0); }, throws_with("part 'bad': record 7 is damaged"));
}

// Each row comes from a record of its own, and two records were skipped.
class RecordedRows : public ForwardingSource {
 public:
  RecordedRows(std::string file, SourcePtr source)
      : file_(std::move(file)), source_(std::move(source)) {}
  std::vector<RowPart> row_parts(std::int64_t step, std::int64_t row) const override {
    return {{.length = 1, .origin = {.file = file_, .record = 2 * step + row}}};
  }
  std::optional<std::int64_t> num_skipped_records() const override { return 2; }

 protected:
  const Source& source() const override { return *source_; }

 private:
  std::string file_;
  SourcePtr source_;
};

TEST(Mixture, NamesTheDocumentsAndSkippedRecordsOfItsParts) {
  const SourcePtr plain = numbers(0, 10, {.batch_size = 2});
  const auto recorded = [&](std::string file) {
    return std::make_shared<RecordedRows>(std::move(file), plain);
  };
  const MixtureSource source({{"a", recorded("a.txt")}, {"b", recorded("b.txt")}, {"c", plain}},
                             {.seed = 2});
  std::set<std::string> files;
  for (std::int64_t step = 0; step < 6; ++step)
    for (std::int64_t row = 0; row < 2; ++row) {
      const PartRow from = source.part_rows(step, {row, row + 1}).front();
      const std::vector<RowPart> parts = source.row_parts(step, row);
      ASSERT_EQ(parts.empty(), from.part == 2);
      if (parts.empty()) continue;
      EXPECT_EQ(parts[0].origin.record, from.row);
      EXPECT_EQ(parts[0].origin.file, from.part == 0 ? "a.txt" : "b.txt");
      files.insert(parts[0].origin.file);
    }
  EXPECT_EQ(files.size(), 2);
  EXPECT_EQ(source.num_skipped_records(), 4);
}

}  // namespace
}  // namespace meshwright::data
