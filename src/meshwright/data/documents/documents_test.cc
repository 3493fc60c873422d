// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/resident_memory.h"
#include "meshwright/data/core/lm_batch.h"
#include "meshwright/data/core/source_testutil.h"
#include "meshwright/data/documents/best_fit.h"
#include "meshwright/data/documents/documents_testutil.h"
#include "meshwright/data/documents/rows.h"
#include "meshwright/data/documents/text_source.h"
#include "meshwright/data/documents/views.h"

namespace meshwright::data {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

constexpr threefry::KeyWords kKey = {1, 2};

std::vector<std::int64_t> random_lengths(unsigned seed, int num, int longest) {
  std::mt19937 random(seed);
  std::vector<std::int64_t> out(static_cast<std::size_t>(num));
  for (std::int64_t& length : out)
    length = static_cast<std::int64_t>(random() % static_cast<unsigned>(longest));
  return out;
}

std::vector<std::int32_t> tokens_of(const Documents& documents, const std::vector<Slice>& slices) {
  std::vector<std::int32_t> out;
  for (const Slice& slice : slices) {
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(slice.length));
    documents.read(slice.document, slice.begin, tokens);
    out.insert(out.end(), tokens.begin(), tokens.end());
  }
  return out;
}

TEST(Views, JoinSelectAndLeaveOut) {
  DocumentsPtr all =
      joined({numbered_documents({2, 0, 1}), numbered_documents({}), numbered_documents({3})});
  ASSERT_EQ(all->num_documents(), 4);
  EXPECT_THAT(whole_document(*all, 3), ElementsAre(0, 1, 2));
  EXPECT_EQ(num_tokens(*all), 6);

  DocumentsPtr some = selected(all, {3, 0});
  EXPECT_THAT(whole_document(*some, 0), ElementsAre(0, 1, 2));
  EXPECT_EQ(some->origin(1).record, 0);
  EXPECT_THROW(selected(all, {4}), Error);

  DocumentsPtr rest = without(all, {0, 2});
  ASSERT_EQ(rest->num_documents(), 2);
  EXPECT_EQ(rest->length(0), 0);
  EXPECT_EQ(rest->length(1), 3);
  EXPECT_NE(rest->fingerprint(), without(all, {0, 1})->fingerprint());
}

void expect_every_range(const Documents& documents,
                        std::int64_t document,
                        std::span<const std::int32_t> expected) {
  for (std::size_t begin = 0; begin <= expected.size(); ++begin) {
    for (std::size_t size = 0; begin + size <= expected.size(); ++size) {
      std::vector<std::int32_t> got(size);
      documents.read(document, static_cast<std::int64_t>(begin), got);
      EXPECT_THAT(got, ElementsAreArray(expected.subspan(begin, size)));
    }
  }
}

TEST(Views, FrameEveryRange) {
  const std::vector<std::optional<std::int32_t>> tokens = {std::nullopt, 77};
  for (const auto& before : tokens) {
    for (const auto& after : tokens) {
      DocumentsPtr inner = numbered_documents({3, 0, 1});
      DocumentsPtr documents = framed(inner, before, after);
      for (std::int64_t d = 0; d < 3; ++d) {
        std::vector<std::int32_t> expected = whole_document(*inner, d);
        if (before) expected.insert(expected.begin(), *before);
        if (after) expected.push_back(*after);
        ASSERT_EQ(documents->length(d), std::ssize(expected));
        expect_every_range(*documents, d, expected);
      }
    }
  }
}

TEST(HoldOut, SplitsByContent) {
  const std::vector<std::int64_t> lengths = random_lengths(1, 2000, 20);
  Split split = hold_out(numbered_documents(lengths), 0.1);
  EXPECT_EQ(split.training->num_documents() + split.held_out->num_documents(), 2000);
  EXPECT_NEAR(static_cast<double>(split.held_out->num_documents()), 200, 50);

  // In another order, the same documents are held out, and copies go with their originals.
  std::vector<std::vector<std::int32_t>> shuffled;
  for (std::int64_t i = 0; i < 2000; ++i)
    shuffled.push_back(whole_document(*numbered_documents(lengths), (i * 7) % 2000));
  shuffled.insert(shuffled.end(), shuffled.begin(), shuffled.begin() + 500);
  Split other = hold_out(std::make_shared<MemoryDocuments>(shuffled), 0.1);
  auto contents = [](const Documents& documents) {
    std::set<std::vector<std::int32_t>> out;
    for (std::int64_t i = 0; i < documents.num_documents(); ++i)
      out.insert(whole_document(documents, i));
    return out;
  };
  EXPECT_EQ(contents(*split.held_out), contents(*other.held_out));
  for (const auto& document : contents(*other.held_out))
    EXPECT_FALSE(contents(*other.training).contains(document));
}

TEST(HoldOut, CutsAFewDocumentsIntoBlocks) {
  for (std::int64_t length : {700, 5000, 200'000}) {
    DocumentsPtr documents = numbered_documents({length, length / 3});
    Split split = hold_out(documents, 0.1);
    const auto held_out = static_cast<double>(num_tokens(*split.held_out));
    const auto all = static_cast<double>(num_tokens(*documents));
    EXPECT_EQ(num_tokens(*split.training) + num_tokens(*split.held_out), num_tokens(*documents));
    EXPECT_NEAR(held_out / all, 0.1, length > 1000 ? 0.03 : 0.1) << length;
  }
  EXPECT_THROW(hold_out(numbered_documents({10}), 0.1), Error);
  EXPECT_THROW(hold_out(numbered_documents({1000}), 1.5), Error);
}

TEST(ConcatenatedRows, GoThroughAllTokensInOneOrder) {
  const std::vector<std::int64_t> lengths = random_lengths(2, 300, 40);
  DocumentsPtr documents = numbered_documents(lengths);
  for (std::int64_t row_length : {2, 7, 64, 1000}) {
    RowPlanPtr rows = concatenated_rows(documents, row_length, kKey);
    std::vector<std::int32_t> stream;
    for (std::int64_t r = 0; r < rows->num_rows(); ++r) {
      std::vector<std::int32_t> tokens = tokens_of(*documents, rows->row(r));
      ASSERT_EQ(std::ssize(tokens), row_length);
      if (r > 0) {
        EXPECT_EQ(tokens.front(), stream.back());
      }
      stream.insert(stream.end(), tokens.begin() + (r > 0), tokens.end());
    }
    const std::int64_t total = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    EXPECT_LE(std::ssize(stream), total);
    EXPECT_GT(std::ssize(stream), total - row_length);
    EXPECT_EQ(std::set(stream.begin(), stream.end()).size(), stream.size());
  }
  EXPECT_THROW(concatenated_rows(numbered_documents({3}), 4, kKey), Error);
  EXPECT_THROW(concatenated_rows(numbered_documents({}), 4, kKey), Error);
}

TEST(PackedRows, HoldEveryTargetOnce) {
  DocumentsPtr documents = numbered_documents(random_lengths(3, 500, 60));
  for (std::int64_t row_length : {2, 16, 33, 100}) {
    RowPlanPtr rows = packed_rows(documents, row_length, kKey, LongDocuments::cut);
    std::multiset<std::int32_t> targets;
    std::int64_t used = 0;
    for (std::int64_t r = 0; r < rows->num_rows(); ++r) {
      std::int64_t size = 0;
      for (const Slice& slice : rows->row(r)) {
        size += slice.length;
        const std::vector<std::int32_t> tokens = tokens_of(*documents, {slice});
        targets.insert(tokens.begin() + 1, tokens.end());
      }
      EXPECT_LE(size, row_length);
      used += size;
    }
    std::multiset<std::int32_t> expected;
    for (std::int64_t d = 0; d < documents->num_documents(); ++d)
      for (std::int64_t i = 1; i < documents->length(d); ++i)
        expected.insert(static_cast<std::int32_t>(1000 * d + i));
    EXPECT_EQ(targets, expected) << row_length;
    if (row_length == 100) {
      EXPECT_GT(static_cast<double>(used) / static_cast<double>(100 * rows->num_rows()), 0.98);
    }
  }
}

TEST(PackedRows, TreatLongDocumentsAsAsked) {
  DocumentsPtr documents = numbered_documents({25, 4});
  auto total = [&](LongDocuments how) {
    RowPlanPtr rows = packed_rows(documents, 10, kKey, how);
    std::int64_t out = 0;
    for (std::int64_t r = 0; r < rows->num_rows(); ++r)
      for (const Slice& slice : rows->row(r))
        out += slice.length;
    return out;
  };
  EXPECT_EQ(total(LongDocuments::truncate), 14);
  EXPECT_EQ(total(LongDocuments::drop), 4);
  EXPECT_EQ(total(LongDocuments::cut), 25 + 2 + 4);  // two cuts, with one token in both pieces
}

TEST(BestFit, IsThatOfASearch) {
  std::mt19937 random(5);
  for (std::int64_t capacity : {1, 5, 63, 64, 65, 4096, 5000}) {
    BestFit bins(capacity);
    std::vector<std::int64_t> room;
    for (int i = 0; i < 2000; ++i) {
      const std::int64_t size = 1 + static_cast<std::int64_t>(random()) % capacity;
      std::int64_t best = -1;
      for (std::int64_t r : room)
        if (r >= size && (best < 0 || r < best)) best = r;
      const auto bin = static_cast<std::size_t>(bins.place(size));
      if (bin == room.size()) {
        EXPECT_EQ(best, -1);
        room.push_back(capacity);
      } else {
        EXPECT_EQ(room.at(bin), best);
      }
      room.at(bin) -= size;
    }
    EXPECT_EQ(bins.num_bins(), std::ssize(room));
  }
}

SourcePtr packed_source(const DocumentsPtr& documents, std::int64_t length, EpochOptions order) {
  RowPlanPtr rows = packed_rows(documents, length + 1, kKey, LongDocuments::cut);
  return text_source(documents, rows,
                     {.order = std::move(order), .length = length, .context = Context::document});
}

TEST(TextSource, IsPure) {
  DocumentsPtr documents = numbered_documents(random_lengths(6, 100, 30));
  expect_pure(*packed_source(documents, 16, {.batch_size = 4, .seed = 1}), 8);
  RowPlanPtr rows = concatenated_rows(documents, 17, kKey);
  expect_pure(*text_source(documents, rows, {.order = {.batch_size = 4}, .length = 16}), 8);
  EpochOptions once = {.batch_size = 8, .remainder = Remainder::pad, .num_epochs = 1};
  expect_pure(*packed_source(documents, 16, once), 4);
}

TEST(TextSource, PredictsNoTokenOfAnotherDocument) {
  DocumentsPtr documents = numbered_documents(random_lengths(7, 200, 30));
  SourcePtr source =
      packed_source(documents, 32, {.batch_size = 4, .remainder = Remainder::pad, .num_epochs = 1});
  std::multiset<std::int32_t> targets;
  for (std::int64_t step = 0; step < source->num_batches().value(); ++step) {
    Batch batch = whole_batch(*source, step);
    const auto inputs = batch[kInputs].value().values<std::int32_t>();
    const auto next = batch[kTargets].value().values<std::int32_t>();
    const auto segments = batch[kSegments].value().values<std::int32_t>();
    const auto positions = batch[kPositions].value().values<std::int32_t>();
    const auto weights = batch[kWeights].value().values<float>();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (weights[i] == 0) continue;
      EXPECT_EQ(next[i], inputs[i] + 1);  // of the same document, by its tokens
      EXPECT_GT(segments[i], 0);
      targets.insert(next[i]);
      const std::size_t first = i - static_cast<std::size_t>(positions[i]);
      EXPECT_EQ(inputs[first] + positions[i], inputs[i]);
      EXPECT_EQ(segments[first], segments[i]);
    }
  }
  std::size_t expected = 0;  // all tokens but the first of each document
  for (std::int64_t length : random_lengths(7, 200, 30))
    expected += static_cast<std::size_t>(std::max<std::int64_t>(length - 1, 0));
  EXPECT_EQ(targets.size(), expected);
  EXPECT_EQ(std::set(targets.begin(), targets.end()).size(), expected);
}

TEST(TextSource, PredictsAcrossDocumentsOfARow) {
  DocumentsPtr documents = numbered_documents({3, 4, 5});
  SourcePtr source = text_source(documents, concatenated_rows(documents, 12, kKey),
                                 {.order = {.batch_size = 1}, .length = 11});
  Batch batch = whole_batch(*source, 0);
  EXPECT_THAT(batch[kWeights].value().values<float>(), testing::Each(1));
  const auto inputs = batch[kInputs].value().values<std::int32_t>();
  const auto targets = batch[kTargets].value().values<std::int32_t>();
  EXPECT_THAT(inputs.subspan(1), ElementsAreArray(targets.first(10)));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(TextSource, BatchesReuseTheMemoryOfEarlierOnes) {
  constexpr std::int64_t kLength = 8192, kMiB = 1 << 20;
  SourcePtr source =
      packed_source(numbered_documents({kLength, kLength}), kLength - 1, {.batch_size = 4});
  whole_batch(*source, 0);
  const std::int64_t before = find_resident_memory()->now_bytes;
  for (std::int64_t step = 0; step < 400; ++step)  // 256 MiB
    whole_batch(*source, step);
  EXPECT_LE(find_resident_memory()->now_bytes, before + 32 * kMiB);
}
#endif

TEST(TextSource, LearnsOnlyWhatHasWeight) {
  auto documents =
      std::make_shared<MemoryDocuments>(std::vector<std::vector<std::int32_t>>{{5, 6, 7, 8}},
                                        std::vector<std::vector<float>>{{0, 0, 1, 1}});
  DocumentsPtr whole = framed(documents, 1, 2);
  RowPlanPtr rows = single_rows(whole, 8, LongDocuments::cut);
  SourcePtr source = text_source(whole, rows, {.order = {.batch_size = 1}, .length = 7});
  Batch batch = whole_batch(*source, 0);
  EXPECT_THAT(batch[kInputs].value().values<std::int32_t>(), ElementsAre(1, 5, 6, 7, 8, 2, 0));
  EXPECT_THAT(batch[kTargets].value().values<std::int32_t>(), ElementsAre(5, 6, 7, 8, 2, 0, 0));
  EXPECT_THAT(batch[kWeights].value().values<float>(), ElementsAre(0, 0, 1, 1, 1, 0, 0));
}

}  // namespace
}  // namespace meshwright::data
