// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/dialect.h"

#include <atomic>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/checkpoint/checkpoint_testutil.h"
#include "meshwright/checkpoint/format.h"
#include "meshwright/checkpoint/manager.h"
#include "meshwright/io/memory_file_system.h"

namespace meshwright::checkpoint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Of sample_contents(): two matrices of one kind become slices of one array, another is turned.
Dialect sample_dialect() {
  Dialect out;
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

Files saved(const Dialect& dialect, int max_threads = 1) {
  auto files = std::make_shared<io::MemoryFileSystem>();
  write_step(format_named("native"), files, "",
             to_theirs(pending_step(sample_contents(5)), dialect), {}, max_threads);
  return files;
}

TEST(Dialect, IsWhatTheFilesSay) {
  const Stored theirs = stored(saved(sample_dialect()), 5);
  const HostTensor q = theirs.arrays.at("weights/q").value().read();
  const HostTensor both = theirs.arrays.at("weights/both").value().read();
  const HostTensor ours = assemble(sample_contents(5).arrays.at("model/decoder/q").value());
  EXPECT_EQ(q.type(), (ArrayType{f32, {4, 6}}));
  EXPECT_EQ(both.type(), (ArrayType{f32, {2, 4, 6}}));
  EXPECT_THAT(theirs.arrays.at("weights/both").value().chunk(), ElementsAre(1, 2, 3));
  auto word = [](const HostTensor& x, std::size_t i) {
    return std::vector(x.bytes().begin() + std::ptrdiff_t(4 * i),
                       x.bytes().begin() + std::ptrdiff_t(4 * i + 4));
  };
  for (std::size_t row = 0; row < 4; ++row) {
    for (std::size_t column = 0; column < 6; ++column)
      EXPECT_EQ(word(q, row * 6 + column), word(ours, column * 4 + row));
  }
  EXPECT_NE(theirs.arrays.find("model/bias"), nullptr) << "what is not mentioned stays";
}

TEST(Dialect, GivesBackWhatWasSaved) {
  for (const int threads : {1, 4}) {
    const Stored ours = to_ours(stored(saved(sample_dialect(), threads), 5), sample_dialect());
    EXPECT_EQ(digest(read_contents(ours)), digest(sample_contents(5)));
  }
}

TEST(Dialect, ReadsPartsThatAreCutOtherwise) {
  const Stored ours = to_ours(stored(saved(sample_dialect()), 5), sample_dialect());
  const Contents wanted = sample_contents(5);
  for_each(ours.arrays, [&](const std::string& path, const StoredArray& array) {
    if (array.type().rank() != 2) return;
    const HostTensor whole = assemble(wanted.arrays.at(path).value());
    const ArrayParts parts =
        read_parts(array, {{{0, 1}, {0, array.type().dims[1]}},
                           {{1, array.type().dims[0]}, {0, array.type().dims[1]}}});
    const HostTensor found = assemble(parts);
    EXPECT_TRUE(std::ranges::equal(found.bytes(), whole.bytes())) << path;
  });
}

TEST(Dialect, TakesACheckpointInOurNamesAsItIs) {
  const Stored ours = to_ours(stored(saved({}), 5), sample_dialect());
  EXPECT_EQ(digest(read_contents(ours)), digest(sample_contents(5)));
}

TEST(Dialect, ImpliesNothingInOurNames) {
  Contents without_count = sample_contents(5);
  without_count.arrays["learner"] = Tree<ArrayParts>();
  auto files = std::make_shared<io::MemoryFileSystem>();
  write_step(format_named("native"), files, "", without_count);
  EXPECT_EQ(to_ours(stored(files, 5), sample_dialect()).arrays.find("learner"), nullptr);
}

TEST(Dialect, AddsWhatTheirsImplies) {
  Contents theirs = sample_contents(5);
  theirs.arrays = {};
  theirs.arrays["weights/q"] = sample_contents(5).arrays.at("model/decoder/q");
  auto files = std::make_shared<io::MemoryFileSystem>();
  write_step(format_named("native"), files, "", theirs);
  const Stored ours = to_ours(stored(files, 5), sample_dialect());
  EXPECT_THAT(ours.arrays.at("learner/count").value().read().values<std::int32_t>(),
              ElementsAre(5));
  EXPECT_EQ(ours.arrays.at("model/decoder/q").value().type(), (ArrayType{f32, {4, 6}}));
  EXPECT_EQ(ours.arrays.num_leaves(), 2U);
}

TEST(Dialect, RefusesArraysOfAnotherForm) {
  Dialect fewer = sample_dialect();
  fewer.arrays.at("model/decoder/w").slice->count = 3;
  const Files files = saved(sample_dialect());
  EXPECT_THAT(
      message_of([&] { to_ours(stored(files, 5), fewer); }),
      HasSubstr("'weights/both' is f32[2,4,6], of which 'model/decoder/w' cannot be a part"));
  Dialect twice = sample_dialect();
  twice.arrays.at("model/decoder/w") = {.path = "weights/q"};
  EXPECT_THAT(message_of([&] { saved(twice); }),
              HasSubstr("would be stored as another array is, f32[4,6] and f32[4,6]"));
}

TEST(Dialect, OfAManagerIsThatOfItsFormat) {
  auto files = std::make_shared<io::MemoryFileSystem>();
  auto dialect = [](std::string_view format) {
    return format == "seqax" ? sample_dialect() : Dialect();
  };
  const ManagerOptions options{
      .folder = "memory", .format = "seqax", .dialect = dialect, .files = files};
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
