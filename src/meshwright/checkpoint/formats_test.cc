// SPDX-License-Identifier: Apache-2.0
// Requirements on every format.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/checkpoint/checkpoint_testutil.h"
#include "meshwright/checkpoint/format/format.h"
#include "meshwright/checkpoint/format/manifest.h"
#include "meshwright/checkpoint/format/step_folders.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/run/recover.h"
#include "meshwright/checkpoint/run/steps.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"
#include "meshwright/io/memory_file_system.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

using testing::ElementsAreArray;
using testing::IsEmpty;

class EveryFormat : public testing::TestWithParam<std::string> {
 protected:
  void save(std::int64_t step) { write_checkpoint(format, files, "run", sample_contents(step)); }
  std::string folder(std::int64_t step) const { return str("run/", format.step_name(step)); }
  std::string restored(const std::string& folder) const {
    return digest(read_contents(format.open(files, folder)));
  }

  const Format& format = format_named(GetParam());
  std::shared_ptr<io::MemoryFileSystem> files = std::make_shared<io::MemoryFileSystem>();
};

TEST_P(EveryFormat, RestoresWhatWasSaved) {
  save(12);
  EXPECT_TRUE(format.is_here(files, folder(12)));
  EXPECT_EQ(restored(folder(12)), digest(sample_contents(12)));
  EXPECT_THAT(format.verify(files, folder(12)), IsEmpty());
}

TEST_P(EveryFormat, HasADigestOfAllOfIt) {
  auto digest_of = [&](const Contents& contents) {
    write_checkpoint(format, files, "run", contents);
    return format.open(files, folder(contents.step)).digest;
  };
  const std::string one = digest_of(sample_contents(1));
  EXPECT_EQ(one.size(), 8u);
  EXPECT_EQ(digest_of(sample_contents(1)), one);
  Contents other = sample_contents(1);
  other.arrays.at("model/bias").value().parts[0].value.mutable_data()[1] ^= std::byte{1};
  EXPECT_NE(digest_of(other), one);
}

TEST_P(EveryFormat, ReadsPartsThatAreCutOtherwise) {
  save(12);
  Stored stored = format.open(files, folder(12));
  Ranges part = {{1, 4}, {2, 5}};
  ArrayParts read = read_parts(stored.arrays.at("model/decoder/w").value(), {part});
  HostTensor whole = assemble(sample_contents(12).arrays.at("model/decoder/w").value());
  HostTensor expected(ArrayType{f32, {3, 3}});
  copy_overlap(whole.data(), whole_ranges(whole.dims()), expected.mutable_data(), part, 4);
  EXPECT_THAT(read.parts[0].value.bytes(), ElementsAreArray(expected.bytes()));
}

TEST_P(EveryFormat, CompressesAndCutsLargeParts) {
  WriteOptions options{.compressor = io::zarr::Compressor::zstd, .max_chunk_bytes = 16};
  write_checkpoint(format, files, "run", sample_contents(1), options);
  EXPECT_EQ(restored(folder(1)), digest(sample_contents(1)));
}

TEST_P(EveryFormat, WritesFromSeveralProcesses) {
  Contents contents = sample_contents(3);
  std::vector<std::unique_ptr<CheckpointWriter>> writers;
  for (int process = 0; process < 3; ++process) {
    writers.push_back(
        format.begin(files, "run", plan_of(contents), {.process = process, .num_processes = 3}));
  }
  std::size_t next = 0;
  for_each(contents.arrays, [&](const std::string& path, const ArrayParts& array) {
    for (const Part& part : array.parts)
      writers[next++ % 3]->write(path, part);
  });
  for (auto& writer : writers)
    writer->finish();
  for (const CheckpointEntry& entry : list_steps(format, files, "run"))
    EXPECT_FALSE(entry.is_committed);
  writers[0]->commit();
  EXPECT_EQ(restored(folder(3)), digest(contents));
  EXPECT_THAT(format.verify(files, folder(3)), IsEmpty());
}

// Every bit requires a verification, which reads all files, so the step is small.
Contents smallest_contents() {
  const Contents sample = sample_contents(1);
  Contents out{.step = 1};
  for (const char* path : {"model/bias", "model/decoder/w"})
    out.arrays[path] = sample.arrays.at(path).value();
  out.meta = sample.meta;
  return out;
}

// A flip in any existing file is found.
TEST_P(EveryFormat, FindsEveryFlippedBit) {
  write_checkpoint(format, files, "run", smallest_contents());
  for (const std::string& name : files->files()) {
    std::string& bytes = files->content(name);
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      char& byte = bytes[bit / 8];
      byte = static_cast<char>(byte ^ (1 << (bit % 8)));
      EXPECT_FALSE(format.verify(files, folder(1)).empty()) << name << " bit " << bit;
      byte = static_cast<char>(byte ^ (1 << (bit % 8)));
    }
  }
  EXPECT_THAT(format.verify(files, folder(1)), IsEmpty());
}

// Damage that the format's own program would not notice without reading the arrays.
TEST_P(EveryFormat, OpensNoStepWhoseMarkerIsDamaged) {
  save(1);
  for (const std::string& name : files->files()) {
    const bool is_marker = std::ranges::any_of(
        std::array{"index", ".zattrs", "meshwright.json"},
        [&](const char* marker) { return name == str(folder(1), "/", marker); });
    if (!is_marker) continue;
    const std::string good = files->content(name);
    files->content(name) += " ";
    EXPECT_THROW(format.open(files, folder(1)), Error) << name;
    files->content(name) = good;
  }
  EXPECT_EQ(restored(folder(1)), digest(sample_contents(1)));
}

TEST_P(EveryFormat, MissesEveryFileThatIsGone) {
  save(1);
  for (const std::string& name : files->files()) {
    std::string bytes = files->content(name);
    files->remove(name);
    EXPECT_TRUE(!format.is_committed(files, folder(1)) || !format.verify(files, folder(1)).empty())
        << name;
    io::write_text(*files, name, bytes);
  }
}

TEST_P(EveryFormat, ReplacesAStep) {
  save(1);
  Contents other = sample_contents(2);
  other.step = 1;
  write_checkpoint(format, files, "run", other);
  EXPECT_EQ(restored(folder(1)), digest(other));
  EXPECT_EQ(files->list("run").size(), 1u);
}

TEST_P(EveryFormat, TakesBackAnInterruptedReplacing) {
  save(1);
  files->rename(folder(1), with_prefix(kReplaced, folder(1)));
  std::vector<CheckpointEntry> steps = list_steps(format, files, "run");
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_TRUE(steps[0].is_committed);
  recover(format, files, "run");
  EXPECT_EQ(restored(folder(1)), digest(sample_contents(1)));
  EXPECT_EQ(files->list("run").size(), 1u);
}

TEST_P(EveryFormat, RemovesAStepAndNothingElse) {
  save(1);
  save(2);
  format.remove(files, folder(1));
  std::vector<CheckpointEntry> steps = list_steps(format, files, "run");
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(restored(steps[0].folder), digest(sample_contents(2)));
}

TEST_P(EveryFormat, AnAbandonedStepLeavesNothing) {
  auto writer = format.begin(files, "run", plan_of(sample_contents(1)), {});
  writer->abandon();
  EXPECT_THAT(files->files(), IsEmpty());
}

TEST_P(EveryFormat, RefusesStepsWithoutAName) {
  Contents contents = sample_contents(1);
  contents.step = std::int64_t{10'000'000'000};
  const bool has_any_step = GetParam() == "t5x";
  if (!has_any_step) {
    EXPECT_THROW(write_checkpoint(format, files, "run", contents), Error);
  }
  contents.step = -1;
  EXPECT_THROW(write_checkpoint(format, files, "run", contents), Error);
  EXPECT_EQ(format.find_step(format.step_name(12)), 12);
  for (const char* name : {"", "step_1", "step_0000000a", "12", "step_000000012", "00000000 1"})
    EXPECT_FALSE(format.find_step(name)) << name;
}

TEST_P(EveryFormat, RefusesPartsThatAreNoGrid) {
  Contents contents = sample_contents(1);
  contents.arrays.at("model/decoder/w").value().parts.pop_back();
  EXPECT_THROW(write_checkpoint(format, files, "run", contents), Error);
}

INSTANTIATE_TEST_SUITE_P(Formats,
                         EveryFormat,
                         testing::ValuesIn(format_names()),
                         [](const auto& param) { return param.param; });

TEST(Native, CutsLargePartsIntoSeveralChunks) {
  auto files = std::make_shared<io::MemoryFileSystem>();
  const Format& native = format_named("native");
  write_checkpoint(native, files, "", sample_contents(1), {.max_chunk_bytes = 16});
  EXPECT_TRUE(files->find("step_00000001/model.decoder.w/3.1"));
}

TEST(Native, RefusesNamesThatWouldShareAFolder) {
  Contents contents = sample_contents(1);
  contents.arrays["model.bias"] = contents.arrays.at("model/bias").value();
  auto files = std::make_shared<io::MemoryFileSystem>();
  EXPECT_THROW(write_checkpoint(format_named("native"), files, "", contents), Error);
}

// A tree cannot contain this, so the manifest is damaged, and an older step is used.
TEST(Native, AnArrayInsideAnotherIsDamage) {
  const Format& format = format_named("native");
  auto files = std::make_shared<io::MemoryFileSystem>();
  write_checkpoint(format, files, "", sample_contents(1));
  std::string& text = files->content("step_00000001/meshwright.json");
  Manifest manifest = parse_manifest(text, "the manifest");
  const ManifestArray array = manifest.arrays.at("model/bias");
  for (const char* path : {"model/bias/low", "model", "model/decoder"}) {
    Manifest changed = manifest;
    changed.arrays.emplace(path, array);
    text = write_manifest(changed);
    const Error error = thrown_by([&] { format.open(files, "step_00000001"); });
    EXPECT_EQ(error.code(), ErrorCode::data_loss) << error.what();
    EXPECT_THAT(error.what(), testing::HasSubstr("meshwright.json"));
  }
}

// As in a step written by seqax itself; an older step is used.
TEST(Seqax, AnArrayWithoutItsMetadataIsDamage) {
  const Format& format = format_named("seqax");
  auto files = std::make_shared<io::MemoryFileSystem>();
  write_checkpoint(format, files, "", sample_contents(1));
  make_foreign(*files, "0000000001");
  files->remove("0000000001/modelbias/.zarray");
  const Error error = thrown_by([&] { format.open(files, "0000000001"); });
  EXPECT_EQ(error.code(), ErrorCode::data_loss) << error.what();
}

TEST(Formats, SaysWhichThereAre) {
  EXPECT_EQ(find_format("axlern"), nullptr);
  EXPECT_THAT(message_of([&] { format_named("axlern"); }),
              testing::HasSubstr("did you mean 'axlearn'"));
}

}  // namespace
}  // namespace meshwright::checkpoint
