// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/save/foreign_layout.h"

#include <atomic>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/json_value.h"
#include "meshwright/checkpoint/checkpoint_testutil.h"
#include "meshwright/checkpoint/contents/chunks.h"
#include "meshwright/checkpoint/format/format.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"
#include "meshwright/io/memory_file_system.h"

namespace meshwright::checkpoint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// For sample_contents(): two matrices of one shape become slices of one array, another is
// transposed.
ForeignLayout sample_layout() {
  ForeignLayout out;
  out.arrays["model/decoder/q"] = {.path = "weights/q", .order = {1, 0}};
  out.arrays["model/decoder/w"] = {.path = "weights/both",
                                   .slice = {{.dim = 0, .index = 1, .count = 2}}};
  out.arrays["learner/mu/decoder/w"] = {.path = "weights/both",
                                        .slice = {{.dim = 0, .index = 0, .count = 2}}};
  out.implied["learner/count"] = [](std::int64_t step) {
    return HostTensor::scalar(static_cast<std::int32_t>(step));
  };
  return out;
}

Stored stored(const Files& files, std::int64_t step) {
  const Format& format = format_named("native");
  return format.open(files, format.step_name(step));
}

Files saved(const ForeignLayout& layout, int max_threads = 1) {
  auto files = std::make_shared<io::MemoryFileSystem>();
  write_checkpoint(format_named("native"), files, "",
                   to_foreign(pending_checkpoint(sample_contents(5)), layout), {}, max_threads);
  return files;
}

TEST(ForeignLayout, IsTheLayoutOfTheFiles) {
  const Stored foreign = stored(saved(sample_layout()), 5);
  const HostTensor q = foreign.arrays.at("weights/q").value().read();
  const HostTensor both = foreign.arrays.at("weights/both").value().read();
  const HostTensor native = assemble(sample_contents(5).arrays.at("model/decoder/q").value());
  EXPECT_EQ(q.type(), (ArrayType{f32, {4, 6}}));
  EXPECT_EQ(both.type(), (ArrayType{f32, {2, 4, 6}}));
  EXPECT_THAT(foreign.arrays.at("weights/both").value().chunk(), ElementsAre(1, 2, 3));
  auto word = [](const HostTensor& x, std::size_t i) {
    return std::vector(x.bytes().begin() + std::ptrdiff_t(4 * i),
                       x.bytes().begin() + std::ptrdiff_t(4 * i + 4));
  };
  for (std::size_t row = 0; row < 4; ++row) {
    for (std::size_t column = 0; column < 6; ++column)
      EXPECT_EQ(word(q, row * 6 + column), word(native, column * 4 + row));
  }
  EXPECT_NE(foreign.arrays.find("model/bias"), nullptr) << "arrays without an entry stay";
}

TEST(ForeignLayout, GivesBackTheSavedState) {
  for (const int threads : {1, 4}) {
    const Stored native = from_foreign(stored(saved(sample_layout(), threads), 5), sample_layout());
    EXPECT_EQ(digest(read_contents(native)), digest(sample_contents(5)));
  }
}

TEST(ForeignLayout, ReadsPartsThatAreCutDifferently) {
  const Stored native = from_foreign(stored(saved(sample_layout()), 5), sample_layout());
  const Contents wanted = sample_contents(5);
  for_each(native.arrays, [&](const std::string& path, const StoredArray& array) {
    if (array.type().rank() != 2) return;
    const HostTensor whole = assemble(wanted.arrays.at(path).value());
    const ArrayParts parts =
        read_parts(array, {{{0, 1}, {0, array.type().dims[1]}},
                           {{1, array.type().dims[0]}, {0, array.type().dims[1]}}});
    const HostTensor found = assemble(parts);
    EXPECT_TRUE(std::ranges::equal(found.bytes(), whole.bytes())) << path;
  });
}

TEST(ForeignLayout, LeavesANativeCheckpointUnchanged) {
  const Stored native = from_foreign(stored(saved({}), 5), sample_layout());
  EXPECT_EQ(digest(read_contents(native)), digest(sample_contents(5)));
}

TEST(ForeignLayout, ImpliesNothingInANativeCheckpoint) {
  Contents without_count = sample_contents(5);
  without_count.arrays["learner"] = Tree<ArrayParts>();
  auto files = std::make_shared<io::MemoryFileSystem>();
  write_checkpoint(format_named("native"), files, "", without_count);
  EXPECT_EQ(from_foreign(stored(files, 5), sample_layout()).arrays.find("learner"), nullptr);
}

TEST(ForeignLayout, AddsImpliedValues) {
  Contents foreign = sample_contents(5);
  foreign.arrays = {};
  foreign.arrays["weights/q"] = sample_contents(5).arrays.at("model/decoder/q");
  auto files = std::make_shared<io::MemoryFileSystem>();
  write_checkpoint(format_named("native"), files, "", foreign);
  const Stored native = from_foreign(stored(files, 5), sample_layout());
  EXPECT_THAT(native.arrays.at("learner/count").value().read().values<std::int32_t>(),
              ElementsAre(5));
  EXPECT_EQ(native.arrays.at("model/decoder/q").value().type(), (ArrayType{f32, {4, 6}}));
  EXPECT_EQ(native.arrays.num_leaves(), 2U);
}

TEST(ForeignLayout, RefusesArraysOfAnotherShape) {
  ForeignLayout fewer = sample_layout();
  fewer.arrays.at("model/decoder/w").slice->count = 3;
  const Files files = saved(sample_layout());
  EXPECT_THAT(message_of([&] { from_foreign(stored(files, 5), fewer); }),
              HasSubstr("'weights/both' is f32[2,4,6], which cannot contain 'model/decoder/w'"));
  ForeignLayout twice = sample_layout();
  twice.arrays.at("model/decoder/w") = {.path = "weights/q"};
  EXPECT_THAT(message_of([&] { saved(twice); }),
              HasSubstr("would have the same stored name as another array, f32[4,6] and f32[4,6]"));
}

// --- several native arrays in one foreign array, and one in several ----------------------------

ArrayParts in_parts(const Dims& dims, const Dims& part) {
  const ArrayType type{s32, dims};
  HostTensor whole(type);
  std::int32_t next = static_cast<std::int32_t>(1000 * dims.size());
  for (std::int32_t& value : whole.mutable_values<std::int32_t>())
    value = next++;
  return read_parts(stored_value(whole), pieces_of(whole_ranges(dims), part));
}

// Queries of 2 x 3 heads, keys and values of 2, and a count.
Contents attention_contents(const Dims& query_part) {
  Contents out{.step = 5};
  out.arrays["w_q"] = in_parts({4, 2, 3, 2}, query_part);
  out.arrays["w_k"] = in_parts({4, 2, 2}, {2, 1, 2});
  out.arrays["w_v"] = in_parts({4, 2, 2}, {4, 2, 2});
  out.arrays["count"] = in_parts({}, {});
  out.arrays["native/only"] = in_parts({3}, {3});
  return out;
}

ForeignLayout attention_layout() {
  ForeignLayout out;
  out.arrays["w_q"] = {.path = "qkv", .span = {{.dim = 1, .inner = {3}, .size = 6, .count = 10}}};
  out.arrays["w_k"] = {.path = "qkv", .span = {{.dim = 1, .start = 6, .size = 2, .count = 10}}};
  out.arrays["w_v"] = {.path = "qkv", .span = {{.dim = 1, .start = 8, .size = 2, .count = 10}}};
  out.arrays["count"] = {.path = "a/count", .copies = {{.path = "b/count"}, {.path = "c"}}};
  return out;
}

class FusedLayout : public testing::TestWithParam<Dims> {
 protected:
  const Contents contents = attention_contents(GetParam());
  Files save(const char* format, int max_threads = 4) const {
    auto files = std::make_shared<io::MemoryFileSystem>();
    write_checkpoint(format_named(format), files, "",
                     to_foreign(pending_checkpoint(contents), attention_layout()), {}, max_threads);
    return files;
  }
};

TEST_P(FusedLayout, PutsHeadsBesideOneAnother) {
  const Stored foreign = stored(save("native"), 5);
  const HostTensor qkv = foreign.arrays.at("qkv").value().read();
  ASSERT_EQ(qkv.type(), (ArrayType{s32, {4, 10, 2}}));
  auto whole = [&](const char* path) { return assemble(contents.arrays.at(path).value()); };
  const HostTensor w_q = whole("w_q"), w_k = whole("w_k"), w_v = whole("w_v");
  for (std::size_t row = 0; row < 4; ++row) {
    auto words = [&](const HostTensor& x, std::size_t first, std::size_t count) {
      const std::span<const std::int32_t> all = x.values<std::int32_t>().subspan(first, count);
      return std::vector(all.begin(), all.end());
    };
    EXPECT_EQ(words(qkv, row * 20, 12), words(w_q, row * 12, 12));
    EXPECT_EQ(words(qkv, row * 20 + 12, 4), words(w_k, row * 4, 4));
    EXPECT_EQ(words(qkv, row * 20 + 16, 4), words(w_v, row * 4, 4));
  }
}

TEST_P(FusedLayout, GivesBackTheSavedState) {
  for (const int threads : {1, 4}) {
    const Stored native = from_foreign(stored(save("native", threads), 5), attention_layout());
    EXPECT_EQ(digest(read_contents(native)), digest(contents));
  }
}

TEST_P(FusedLayout, ReadsPartsThatAreCutDifferently) {
  const Stored native = from_foreign(stored(save("native"), 5), attention_layout());
  const StoredArray w_q = native.arrays.at("w_q").value();
  const HostTensor whole = assemble(contents.arrays.at("w_q").value());
  for (const Dims& part : {Dims{4, 2, 2, 2}, Dims{3, 1, 3, 1}, Dims{4, 1, 2, 2}}) {
    const ArrayParts parts = read_parts(w_q, pieces_of(whole_ranges(w_q.type().dims), part));
    EXPECT_TRUE(std::ranges::equal(assemble(parts).bytes(), whole.bytes())) << str(part);
  }
}

TEST_P(FusedLayout, WritesCopiesAndListsOnlyForeignArrays) {
  const Files files = save("axlearn");
  const std::string name = "step_00000005/index";
  const JsonValue index = parse_json(io::read_text(*files, name), name);
  std::vector<std::string> listed;
  for (const JsonValue& entry : index.as_array())
    listed.push_back(entry.as_array()[0].as_text());
  EXPECT_THAT(listed, ElementsAre("step", "a/count", "b/count", "c", "qkv"));
  const Stored foreign = format_named("axlearn").open(files, "step_00000005");
  for (const char* path : {"a/count", "b/count", "c"})
    EXPECT_THAT(foreign.arrays.at(path).value().read().values<std::int32_t>(), ElementsAre(0));
  EXPECT_NE(foreign.arrays.find("native/only"), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Parts,
                         FusedLayout,
                         testing::Values(Dims{4, 2, 3, 2},    // one
                                         Dims{2, 1, 3, 2},    // by heads of keys
                                         Dims{4, 2, 1, 2}));  // by queries: in pieces

// Each layer is an array of its own, transposed or with its heads joined.
Contents layered_contents(const Dims& part) {
  Contents out{.step = 5};
  out.arrays["w"] = in_parts({3, 4, 2}, part);
  out.arrays["heads"] = in_parts({3, 4, 2}, part);
  out.arrays["slot/w"] = in_parts({1}, {1});
  return out;
}

ForeignLayout layered_layout() {
  ForeignLayout out;
  out.arrays["w"] = {.path = "layer_#/w", .order = {1, 0}, .num_rows = 3};
  out.arrays["heads"] = {
      .path = "layer_#/heads", .span = {{.inner = {2}, .size = 8, .count = 8}}, .num_rows = 3};
  out.arrays["slot/w"] = {.path = "slots/layer_#/w", .num_rows = 3, .may_be_unused = true};
  return out;
}

class LayeredLayout : public testing::TestWithParam<Dims> {
 protected:
  const Contents contents = layered_contents(GetParam());
  static Files save(const Contents& contents) {
    auto files = std::make_shared<io::MemoryFileSystem>();
    write_checkpoint(format_named("native"), files, "",
                     to_foreign(pending_checkpoint(contents), layered_layout()));
    return files;
  }
};

TEST_P(LayeredLayout, StoresAnArrayPerRow) {
  const Stored foreign = stored(save(contents), 5);
  const auto numbers = [&](const std::string& path) {
    const HostTensor value = foreign.arrays.at(path).value().read();
    const std::span<const std::int32_t> all = value.values<std::int32_t>();
    return std::pair(value.dims(), std::vector(all.begin(), all.end()));
  };
  const HostTensor w = assemble(contents.arrays.at("w").value());
  const std::span<const std::int32_t> of_w = w.values<std::int32_t>();
  for (std::size_t row = 0; row < 3; ++row) {
    const auto layer = of_w.subspan(row * 8, 8);
    const std::string name = str("layer_", row);
    EXPECT_EQ(numbers(name + "/heads"),
              std::pair(Dims{8}, std::vector(layer.begin(), layer.end())));
    EXPECT_EQ(numbers(name + "/w"),
              std::pair(Dims{2, 4}, std::vector{layer[0], layer[2], layer[4], layer[6], layer[1],
                                                layer[3], layer[5], layer[7]}));
    EXPECT_EQ(numbers(str("slots/", name, "/w")).first, Dims{1});
  }
}

TEST_P(LayeredLayout, GivesBackTheSavedState) {
  const Stored native = from_foreign(stored(save(contents), 5), layered_layout());
  EXPECT_EQ(digest(read_contents(native)), digest(contents));
  for (const char* path : {"w", "heads"}) {
    const StoredArray array = native.arrays.at(path).value();
    const HostTensor whole = assemble(contents.arrays.at(path).value());
    for (const Dims& part : {Dims{2, 4, 2}, Dims{1, 3, 1}, Dims{3, 1, 2}}) {
      const ArrayParts parts = read_parts(array, pieces_of(whole_ranges(array.type().dims), part));
      EXPECT_TRUE(std::ranges::equal(assemble(parts).bytes(), whole.bytes())) << str(part);
    }
  }
}

TEST_P(LayeredLayout, NamesARowThatIsMissing) {
  Stored foreign = stored(save(contents), 5);
  Tree<StoredArray> less;
  for_each(foreign.arrays, [&](const std::string& path, const StoredArray& array) {
    if (path != "layer_2/w") less[path] = array;
  });
  foreign.arrays = less;
  EXPECT_THAT(message_of([&] { from_foreign(foreign, layered_layout()); }),
              HasSubstr("'w' has 3 rows, but 'layer_2/w' is missing"));
}

TEST_P(LayeredLayout, RefusesAnotherNumberOfRows) {
  ForeignLayout layout = layered_layout();
  layout.arrays["w"].num_rows = 4;
  EXPECT_THAT(message_of([&] { to_foreign(pending_checkpoint(contents), layout); }),
              HasSubstr("'w' has dimensions [3,4,2], expected 4 rows"));
}

INSTANTIATE_TEST_SUITE_P(
    Parts,
    LayeredLayout,
    testing::Values(Dims{3, 4, 2}, Dims{1, 4, 2}, Dims{3, 2, 2}, Dims{3, 4, 1}));

TEST(ForeignLayout, TakesAnArrayInNativeLayout) {
  ForeignLayout keys;
  keys.arrays["key"] = {.path = "key",
                        .span = {{.size = 2, .count = 4}},
                        .copies = {{.path = "key", .span = {{.start = 2, .size = 2, .count = 4}}}}};
  keys.arrays["x"] = {.path = "y"};
  Contents contents{.step = 5};
  contents.arrays["key"] = in_parts({2}, {2});
  contents.arrays["x"] = in_parts({}, {});
  auto files = std::make_shared<io::MemoryFileSystem>();
  write_checkpoint(format_named("native"), files, "",
                   to_foreign(pending_checkpoint(contents), keys));
  const HostTensor twice = stored(files, 5).arrays.at("key").value().read();
  EXPECT_THAT(twice.values<std::int32_t>(), ElementsAre(1000, 1001, 1000, 1001));
  EXPECT_EQ(digest(read_contents(from_foreign(stored(files, 5), keys))), digest(contents));

  auto plain = std::make_shared<io::MemoryFileSystem>();
  Contents foreign = contents;
  foreign.arrays["y"] = foreign.arrays.at("x");
  write_checkpoint(format_named("native"), plain, "", foreign);
  const Stored native = from_foreign(stored(plain, 5), keys);
  EXPECT_THAT(native.arrays.at("key").value().read().values<std::int32_t>(),
              ElementsAre(1000, 1001));
}

TEST(ForeignLayout, OfAManagerFollowsItsFormat) {
  auto files = std::make_shared<io::MemoryFileSystem>();
  auto layout = [](std::string_view format) {
    return format == "seqax" ? sample_layout() : ForeignLayout();
  };
  const ManagerOptions options{
      .folder = "memory", .format = "seqax", .foreign_layout = layout, .files = files};
  Manager manager(options);
  manager.save(sample_contents(7));
  manager.finish();
  EXPECT_TRUE(files->find("0000000007/weightsboth/1.0.0"));
  EXPECT_EQ(digest(*manager.restore_newest()), [] {
    Contents wanted = sample_contents(7);
    return digest(wanted);
  }());
}

}  // namespace
}  // namespace meshwright::checkpoint
