// SPDX-License-Identifier: Apache-2.0
// Reads checkpoints written by the libraries of other systems, and compares every array with what
// these libraries read.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/json_value.h"
#include "meshwright/checkpoint/run/locate.h"
#include "sha256/sha256.h"

namespace meshwright::checkpoint {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

struct Case {
  const char* container;
  const char* path;      // below the folder of goldens
  const char* expected;  // a file in expected/
  std::int64_t step = 0;
};

constexpr Case kCases[] = {
    {"orbax", "orbax_std", "containers/orbax_std.json"},
    {"orbax", "orbax_std/_METADATA", "containers/orbax_std.json"},
    {"orbax", "orbax_pytree", "containers/orbax_pytree.json"},
    {"orbax", "orbax_zarr3", "containers/orbax_zarr3.json"},
    {"orbax", "orbax_v1", "containers/orbax_v1.json"},
    {"orbax", "orbax_v1/state", "containers/orbax_v1.json"},
    {"orbax", "orbax_ocdbt", "containers/orbax_ocdbt.json"},
    {"orbax", "orbax_flat_zarr3", "orbax_flat_zarr3.json"},
    {"orbax", "orbax_flat_zarr2_written", "orbax_flat_zarr2_written.json"},
    {"orbax", "orbax_flat_zarr3_written", "orbax_flat_zarr3_written.json"},
    {"orbax", "orbax_legacy_placeholder", "orbax_legacy_placeholder.json"},
    {"orbax", "orbax_manager", "containers/orbax_manager.json", 2},
    {"orbax", "orbax_manager/ckpt_000001", "containers/orbax_manager.json", 1},
    {"orbax", "axlearn_orbax", "axlearn_orbax.json", 7},
    {"orbax", "t5x_orbax", "t5x_orbax.json", 6},
    {"t5x", "t5x", "t5x.json", 3},
    {"t5x", "t5x/checkpoint_3/checkpoint", "t5x.json", 3},
    {"big_vision", "bigvision", "bigvision.json", 42},
    {"big_vision", "bigvision/checkpoint.bv", "bigvision.json", 42},
    {"safetensors", "safetensors/x.safetensors", "containers/safetensors.json"},
    {"safetensors", "safetensors", "containers/safetensors.json"},
    {"npz", "npz/x.npz", "containers/npz.json"},
    {"npz", "npz/xc.npz", "containers/npz_compressed.json"},
    {"flax", "flax_msgpack/plain.msgpack", "containers/flax_plain.json"},
    {"flax", "flax_msgpack/chunked16.msgpack", "containers/flax_chunked.json"},
    {"tensorflow", "tfbundle", "containers/tensorflow.json", 1000000},
    {"tensorflow", "tfbundle/model.ckpt-1", "containers/tensorflow.json", 1000000},
    {"tensorflow", "tfbundle/model.ckpt-1.index", "containers/tensorflow.json", 1000000},
    {"tensorflow", "tfbundle/sliced", "containers/tensorflow_sliced.json"},
    {"tensorflow", "tfbundle/merged", "containers/tensorflow_merged.json"},
    {"tensorflow", "tfbundle/objckpt", "containers/tensorflow_objects.json"},
};

// Expected names lead with folders, and the systems join names differently.
std::string plain_name(std::string name) {
  const std::size_t item = name.find('!');
  if (item != name.npos) {
    name = name.substr(item + 1);
  } else if (name.starts_with("checkpoint") || name.starts_with("step_")) {
    name = name.substr(name.rfind('/') + 1);
  }
  std::erase_if(name, [](char c) { return c == '/' || c == '.' || c == '~'; });
  return name;
}

JsonValue read_expected(const std::string& file) {
  auto files = io::open_file_system(GOLDEN_FOLDER "/expected");
  return parse_json(io::read_text(*files, file), file);
}

void expect_arrays(const Stored& stored, const std::string& expected, const std::string& step) {
  std::map<std::string, StoredArray> found;
  for_each(stored.arrays, [&](const std::string& path, const StoredArray& array) {
    found.emplace(plain_name(path), array);
  });
  std::size_t num_compared = 0;
  const JsonValue json = read_expected(expected);
  for (const auto& [name, entry] : json.as_object()) {
    const bool is_of_other_step = name.find("ckpt_") == 0 && name.find(step) == name.npos;
    if (is_of_other_step) continue;
    const auto array = found.find(plain_name(name));
    ASSERT_NE(array, found.end()) << name;
    EXPECT_EQ(numpy_name(array->second.type().dtype), entry.at("dtype").as_text()) << name;
    const HostTensor value = array->second.read();
    EXPECT_EQ(test_sha256::sha256_hex(io::as_text(value.bytes())), entry.at("sha256").as_text())
        << name;
    ++num_compared;
  }
  EXPECT_GT(num_compared, 0);
}

class ContainersGolden : public testing::TestWithParam<Case> {};

TEST_P(ContainersGolden, HoldWhatTheirLibrariesRead) {
  const Case& c = GetParam();
  const Location location = locate(str(GOLDEN_FOLDER "/", c.path));
  EXPECT_EQ(location.container->name(), c.container);
  EXPECT_EQ(location.step().step, c.step);
  const std::string& folder = location.step().folder;
  expect_arrays(location.container->inspect(location.files, folder), c.expected, str(c.step));
  EXPECT_TRUE(location.container->verify(location.files, folder).empty());
}

INSTANTIATE_TEST_SUITE_P(All, ContainersGolden, testing::ValuesIn(kCases));

// The reference systems' own checkpoints are not part of this repository.
// As after a download of some files.
TEST(TensorFlowFolders, NeedNoPointer) {
  const fs::path root = fs::path(testing::TempDir()) / "tensorflow_folders";
  fs::remove_all(root);
  const auto add = [&](const fs::path& prefix) {
    fs::create_directories((root / prefix).parent_path());
    for (const char* end : {".index", ".data-00000-of-00001"})
      fs::copy_file(str(GOLDEN_FOLDER "/tfbundle/sliced", end), str((root / prefix).string(), end));
  };
  const auto steps = [&](const char* folder) {
    std::vector<std::string> out;
    for (const CheckpointEntry& step : locate((root / folder).string()).steps)
      out.push_back(str(step.step, " ", step.folder));
    return out;
  };
  add("one/model.ckpt-7");
  EXPECT_EQ(locate((root / "one").string()).step().folder, "one");
  add("several/model.ckpt-7");
  add("several/model.ckpt-12");
  EXPECT_THAT(steps("several"), ElementsAre("7 model.ckpt-7", "12 model.ckpt-12"));
  add("saved/variables/variables");
  EXPECT_THROW(locate((root / "saved").string()), Error);
  std::ofstream(root / "saved" / "saved_model.pb") << "a graph";
  for (const char* folder : {"one", "several", "saved", "saved/variables"}) {
    const Location location = locate((root / folder).string());
    EXPECT_EQ(open_at(location, location.step()).arrays.num_leaves(), 1) << folder;
  }
  fs::remove_all(root);
}

TEST(ContainersUpstream, HoldWhatTheirLibrariesRead) {
  const fs::path root = fs::path(GOLDEN_FOLDER) / "../../../../shared/golden";
  if (!fs::exists(root / "upstream")) GTEST_SKIP() << "no ../shared/golden/upstream";
  for (const char* name : {"t5x_gzip_adafactor", "t5x_zstd_adafactor", "t5x_zstd_adam_bf16",
                           "t5x_orbax", "axlearn_orbax", "bigvision"}) {
    SCOPED_TRACE(name);
    const Location location = locate((root / "upstream" / name).string());
    const std::string& folder = location.step().folder;
    const Stored stored = location.container->open(location.files, folder);
    std::map<std::string, StoredArray> found;
    for_each(stored.arrays, [&](const std::string& path, const StoredArray& array) {
      found.emplace(plain_name(path), array);
    });
    auto files = io::open_file_system((root / "expected").string());
    const std::string file = str("upstream.", name, ".json");
    const JsonValue json = parse_json(io::read_text(*files, file), file);
    for (const auto& [array, entry] : json.as_object()) {
      const bool is_of_this_step = array.starts_with(folder);
      if (!is_of_this_step) continue;
      ASSERT_TRUE(found.contains(plain_name(array))) << array;
      const HostTensor value = found.at(plain_name(array)).read();
      EXPECT_EQ(test_sha256::sha256_hex(io::as_text(value.bytes())), entry.at("sha256").as_text())
          << array;
    }
  }
}

}  // namespace
}  // namespace meshwright::checkpoint
