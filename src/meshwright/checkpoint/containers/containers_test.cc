// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/checkpoint/checkpoint_testutil.h"
#include "meshwright/checkpoint/containers/all_containers.h"
#include "meshwright/checkpoint/containers/big_vision.h"
#include "meshwright/checkpoint/containers/safetensors.h"
#include "meshwright/checkpoint/convert/array_rules.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"
#include "meshwright/io/memory_file_system.h"
#include "meshwright/io/msgpack/write.h"

namespace meshwright::checkpoint {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;

std::string digest_of(const Container& container, const Files& files, const std::string& path) {
  Stored stored = container.open(files, path);
  stored.meta = {};
  return digest(read_contents(stored));
}

TEST(SafetensorsContainer, DistributesArraysOverFiles) {
  auto files = std::make_shared<io::MemoryFileSystem>();
  Contents contents = sample_contents(4);
  contents.meta = {};
  write_checkpoint(safetensors_container(), files, "model", contents, {.max_file_bytes = 100});
  EXPECT_TRUE(files->find("model/model.safetensors.index.json"));
  EXPECT_TRUE(files->find("model/model-00001-of-00004.safetensors"));
  EXPECT_EQ(digest_of(safetensors_container(), files, "model"), digest(contents));
  EXPECT_EQ(digest_of(safetensors_container(), files, "model/model.safetensors.index.json"),
            digest(contents));
  files->remove("model/model-00002-of-00004.safetensors");
  EXPECT_THAT(coded_message_of([&] { safetensors_container().open(files, "model"); }),
              AllOf(HasSubstr("data loss"), HasSubstr("index.json lists it")));
  EXPECT_THAT(coded_message_of([&] {
                write_checkpoint(safetensors_container(), files, "x.safetensors", contents,
                                 {.max_file_bytes = 100});
              }),
              HasSubstr("files need a folder"));
}

TEST(SafetensorsContainer, AnIndexStaysInItsFolder) {
  auto files = std::make_shared<io::MemoryFileSystem>();
  files->make_folder("m");
  for (const char* name : {"../x.safetensors", "/etc/x.safetensors", "a/b.safetensors"}) {
    io::write_text(*files, "m/model.safetensors.index.json",
                   str(R"({"weight_map":{"w":")", name, R"("}})"));
    EXPECT_THAT(coded_message_of([&] { safetensors_container().open(files, "m"); }),
                AllOf(HasSubstr("data loss"), HasSubstr("not a file beside it")));
  }
}

TEST(Containers, NothingIsReplaced) {
  for (const char* name : {"safetensors", "npz", "orbax"}) {
    auto files = std::make_shared<io::MemoryFileSystem>();
    const std::string path = name == std::string("orbax") ? "x" : str("x.", name);
    const Container& container = *find_container(name);
    write_checkpoint(container, files, path, sample_contents(1));
    const std::string before = files->image();
    EXPECT_THAT(
        coded_message_of([&] { write_checkpoint(container, files, path, sample_contents(2)); }),
        HasSubstr("already exists"));
    EXPECT_EQ(files->image(), before);
  }
}

TEST(Containers, WhatIsWrittenSurvivesALossOfPower) {
  Contents contents = sample_contents(3);
  contents.meta = {};
  for (const char* name : {"safetensors", "npz", "orbax", "big_vision"}) {
    for (const std::int64_t max_file_bytes : {0, 100}) {
      const bool is_split = max_file_bytes > 0 && name == std::string("safetensors");
      auto files = std::make_shared<io::MemoryFileSystem>();
      std::string path = is_split ? "x" : str("x.", name);
      const Container& container = *find_container(name);
      write_checkpoint(container, files, path, contents, {.max_file_bytes = max_file_bytes});
      files->lose_power();
      if (name == std::string("big_vision")) path += "-000000003";
      EXPECT_TRUE(container.verify(files, path).empty()) << name;
      EXPECT_EQ(container.open(files, path).arrays.num_leaves(), contents.arrays.num_leaves());
    }
  }
}

// A file that is cut off is never taken for a whole one, and is refused with an Error.
TEST(Containers, FilesThatAreCutOffAreRefused) {
  Contents contents = sample_contents(1);
  contents.meta = {};
  for (const char* name : {"safetensors", "npz", "orbax"}) {
    auto files = std::make_shared<io::MemoryFileSystem>();
    const std::string path = name == std::string("orbax") ? "x" : str("x.", name);
    const Container& container = *find_container(name);
    write_checkpoint(container, files, path, contents);
    for (const std::string& file : files->files()) {
      if (file.ends_with("commit_success.txt") || file.ends_with("_CHECKPOINT_METADATA")) continue;
      const std::string whole = files->content(file);
      for (std::size_t size = 0; size < whole.size(); ++size) {
        files->content(file) = whole.substr(0, size);
        EXPECT_FALSE(container.verify(files, path).empty()) << file << " " << size;
      }
      files->content(file) = whole;
    }
    EXPECT_TRUE(container.verify(files, path).empty());
  }
}

// Their slashes are noted before the name is known to be refused.
TEST(OrbaxContainer, NamesOfManySlashesTakeNoMemory) {
  std::string name;
  for (int i = 0; i < 200'000; ++i)
    name += "a/";
  auto files = std::make_shared<io::MemoryFileSystem>();
  files->make_folder("x");
  io::write_text(*files, "x/_METADATA",
                 str(R"({"tree_metadata":{"k":{"key_metadata":[{"key":")", name,
                     R"(b","key_type":2}],"value_metadata":{"value_type":"None",)",
                     R"("skip_deserialize":true}}}})"));
  EXPECT_THAT(coded_message_of([&] { find_container("orbax")->open(files, "x"); }),
              AllOf(HasSubstr("data loss"), HasSubstr("a path has 400001 bytes")));
}

TEST(OrbaxContainer, ADtypeThatIsNotSupportedHidesNoOtherArray) {
  auto files = std::make_shared<io::MemoryFileSystem>();
  const Contents contents = sample_contents(3);
  write_checkpoint(format_named("native"), files, "", contents);
  const std::string step = "step_00000003/";
  for (const char* ours : {"meshwright.json", "commit_success.txt"})
    files->remove(step + ours);
  const std::string metadata = step + "model.bias/.zarray";
  std::string text = io::read_text(*files, metadata, 4096);
  text.replace(text.find("bfloat16"), 8, "complex256");
  io::write_text(*files, metadata, text);
  const Stored found = find_container("orbax")->open(files, "step_00000003");
  EXPECT_EQ(found.arrays.num_leaves(), contents.arrays.num_leaves() - 1);
  EXPECT_THAT(found.unreadable, ElementsAre(Pair("model/bias", HasSubstr("complex256"))));
  ArrayRules rules;
  EXPECT_EQ(apply_rules(found, rules).stored.unreadable.size(), 1);
  rules.drop = {Regex("model/bias")};
  EXPECT_TRUE(apply_rules(found, rules).stored.unreadable.empty());
}

// Returns a tree of version 3 up to the value of its only member.
std::string begin_t5x_tree(const std::string& member) {
  std::string bytes;
  io::append_msgpack_map(bytes, 2);
  io::append_msgpack_text(bytes, "version");
  io::append_msgpack_integer(bytes, 3);
  io::append_msgpack_text(bytes, "optimizer");
  io::append_msgpack_map(bytes, 1);
  io::append_msgpack_text(bytes, member);
  return bytes;
}

TEST(T5xTree, ListsAreBranches) {
  auto files = std::make_shared<io::MemoryFileSystem>();
  files->make_folder("checkpoint_3");
  std::string bytes = begin_t5x_tree("state");
  io::append_msgpack_list(bytes, 2);
  io::append_msgpack_array(bytes, HostTensor::scalar(std::int32_t{7}));
  io::append_msgpack_nil(bytes);
  io::write_text(*files, "checkpoint_3/checkpoint", bytes);
  const Stored found = format_named("t5x").open(files, "checkpoint_3");
  EXPECT_EQ(found.arrays.at("state/0").value().read().values<std::int32_t>()[0], 7);
  EXPECT_THAT(found.structure.lists, ElementsAre("state"));
  EXPECT_THAT(found.structure.empty, ElementsAre(Pair("state/1", EmptyNode::none)));
}

TEST(T5xTree, ACastOfNoArrayIsDamage) {
  auto files = std::make_shared<io::MemoryFileSystem>();
  files->make_folder("checkpoint_3");
  std::string bytes = begin_t5x_tree("w");
  io::append_msgpack_map(bytes, 2);
  io::append_msgpack_text(bytes, "driver");
  io::append_msgpack_text(bytes, "cast");
  io::append_msgpack_text(bytes, "base");
  io::append_msgpack_map(bytes, 0);
  io::write_text(*files, "checkpoint_3/checkpoint", bytes);
  EXPECT_THAT(coded_message_of([&] { format_named("t5x").open(files, "checkpoint_3"); }),
              AllOf(StartsWith("data loss"), HasSubstr("'w'")));
}

// Big Vision gives checkpoints that it will remove the suffix -tmp, and changes its pointer last.
TEST(BigVisionContainer, ListsStepsUpToItsPointer) {
  auto files = std::make_shared<io::MemoryFileSystem>();
  const Container& container = *find_container("big_vision");
  for (const std::int64_t step : {12, 3, 100})
    write_checkpoint(container, files, "x.bv", sample_contents(step));
  files->rename("x.bv-000000012", "x.bv-000000012-tmp");
  write_text(*files, "x.bv-LAST", "000000012-tmp");
  std::vector<std::string> found;
  for (const CheckpointEntry& entry : container.list(files, ""))
    found.push_back(str(entry.folder, entry.is_committed ? "" : ": unfinished"));
  EXPECT_THAT(found, testing::ElementsAre("x.bv-000000003", "x.bv-000000012-tmp",
                                          "x.bv-000000100: unfinished"));
  EXPECT_EQ(find_big_vision_last(*files, "x.bv"), "x.bv-000000012-tmp");
}

TEST(Containers, PicklesAreRefusedWithARemedy) {
  auto files = std::make_shared<io::MemoryFileSystem>();
  io::write_text(*files, "model.bin", "\x80\x02}q");
  io::write_text(*files, "model.pt", "PK\3\4....");
  io::write_text(*files, "notes.bin", "text");
  for (const char* name : {"model.bin", "model.pt"})
    EXPECT_THAT(message_of([&] { refuse_pickles(*files, name); }),
                AllOf(HasSubstr("is a pickle"), HasSubstr("safetensors.torch.save_file")));
  refuse_pickles(*files, "notes.bin");
}

}  // namespace
}  // namespace meshwright::checkpoint
