// SPDX-License-Identifier: Apache-2.0
// Arrays written by other programs, read whole and in parts.
#include <filesystem>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/json_value.h"
#include "meshwright/io/memory_file_system.h"
#include "meshwright/io/zarr/array.h"
#include "sha256/sha256.h"

namespace meshwright::io::zarr {
namespace {

namespace fs = std::filesystem;

std::string digest(const HostTensor& tensor) {
  return test_sha256::sha256_hex(as_text(tensor.bytes()));
}

struct Expected {
  std::string name;
  std::string dtype;
  Dims shape;
  std::string sha256;
};

std::vector<Expected> read_expected(const std::string& path) {
  std::shared_ptr<FileSystem> files = open_file_system(fs::path(path).parent_path());
  std::string name = fs::path(path).filename();
  std::vector<Expected> out;
  JsonValue json = parse_json(read_text(*files, name), name);
  for (const auto& [array, what] : json.as_object()) {
    Expected entry{array, what.at("dtype").as_text(), {}, what.at("sha256").as_text()};
    for (const JsonValue& size : what.at("shape").as_array())
      entry.shape.push_back(size.as_integer());
    out.push_back(entry);
  }
  return out;
}

// Reads every array of a case that is stored in plain folders, not in a database.
void expect_reads(const std::string& folder, const std::string& expected) {
  if (fs::exists(fs::path(folder) / "manifest.ocdbt")) return;
  std::shared_ptr<FileSystem> files = open_file_system(folder);
  for (const Expected& entry : read_expected(expected)) {
    if (entry.name.find('!') != std::string::npos) continue;
    SCOPED_TRACE(folder + " " + entry.name);
    Array array = Array::open(files, entry.name);
    EXPECT_EQ(numpy_name(array.type().dtype), entry.dtype);
    EXPECT_EQ(array.type().dims, entry.shape);
    EXPECT_EQ(digest(array.read()), entry.sha256);
  }
}

TEST(ZarrGolden, ReadsEveryDtypeCompressorOrderAndShardingOfTensorStore) {
  expect_reads(GOLDEN_FOLDER "/arrays", GOLDEN_FOLDER "/expected.json");
}

TEST(ZarrGolden, ReadsAPartAsThatPartOfTheWhole) {
  std::minstd_rand random(3);
  std::shared_ptr<FileSystem> files = open_file_system(GOLDEN_FOLDER "/arrays");
  for (const Expected& entry : read_expected(GOLDEN_FOLDER "/expected.json")) {
    SCOPED_TRACE(entry.name);
    Array array = Array::open(files, entry.name);
    HostTensor whole = array.read();
    for (int trial = 0; trial < 20; ++trial) {
      Ranges part;
      for (std::int64_t size : entry.shape) {
        auto choices = static_cast<unsigned>(size + 1);
        auto a = static_cast<std::int64_t>(random() % choices);
        auto b = static_cast<std::int64_t>(random() % choices);
        part.push_back({std::min(a, b), std::max(a, b)});
      }
      HostTensor expected(ArrayType{array.type().dtype, sizes_of(part)});
      copy_overlap(whole.data(), whole_ranges(whole.dims()), expected.mutable_data(), part,
                   byte_size(array.type().dtype));
      EXPECT_EQ(digest(array.read(part)), digest(expected)) << str(part);
    }
  }
}

/// Reads the cases of a folder that have a file with the expected results.
int expect_reads_all(const fs::path& cases, const std::string& expected) {
  int read = 0;
  for (const fs::directory_entry& folder : fs::directory_iterator(cases)) {
    const std::string file = str(expected, folder.path().filename().string(), ".json");
    if (!folder.is_directory() || !fs::exists(file)) continue;
    expect_reads(folder.path(), file);
    ++read;
  }
  return read;
}

TEST(ZarrGolden, ReadsCheckpointsOfTheReferences) {
  EXPECT_GE(expect_reads_all(CHECKPOINTS_FOLDER, CHECKPOINTS_FOLDER "/expected/"), 10);
}

HostTensor counting_up(const ArrayType& type) {
  HostTensor value(type);
  float next = 0;
  for (float& element : value.mutable_values<float>())
    element = next++;
  return value;
}

void write_in_chunks(Writer& writer,
                     const HostTensor& value,
                     std::int64_t rows,
                     std::int64_t columns) {
  const Dims& shape = value.type().dims;
  writer.write_metadata();
  for (std::int64_t i = 0; i * rows < shape[0]; ++i) {
    for (std::int64_t j = 0; j * columns < shape[1]; ++j) {
      Ranges chunk_at = {{rows * i, rows * (i + 1)}, {columns * j, columns * (j + 1)}};
      Ranges part = *overlap(chunk_at, whole_ranges(shape));
      HostTensor chunk(ArrayType{f32, sizes_of(part)});
      copy_overlap(value.data(), whole_ranges(shape), chunk.mutable_data(), part, 4);
      writer.write_chunk({i, j}, chunk);
    }
  }
}

TEST(ZarrWriter, WritesWhatItReads) {
  auto files = std::make_shared<MemoryFileSystem>();
  HostTensor value = counting_up({f32, {5, 7}});
  for (Compressor compressor : {Compressor::none, Compressor::zstd, Compressor::gzip,
                                Compressor::zlib, Compressor::blosc}) {
    for (char separator : {'.', '/'}) {
      std::string folder = str("a", static_cast<int>(compressor), separator == '.' ? "d" : "s");
      Writer writer(files, folder, value.type(),
                    {.chunk = {2, 3}, .compressor = compressor, .separator = separator});
      write_in_chunks(writer, value, 2, 3);
      EXPECT_EQ(digest(Array::open(files, folder).read()), digest(value)) << folder;
    }
  }
}

// Metadata is bytewise equal to TensorStore's.
TEST(ZarrWriter, WritesMetadataAsTensorStoreDoes) {
  for (const char* name : {"z2_float32", "z2_bfloat16", "z2_bool", "z2_comp_null", "z2_scalar",
                           "z2_comp_zlib", "z2_comp_gzip9"}) {
    std::shared_ptr<FileSystem> files = open_file_system(GOLDEN_FOLDER "/arrays");
    Array array = Array::open(files, name);
    std::string text = read_text(*files, str(name, "/.zarray"));
    JsonValue compressor = parse_json(text, name).at("compressor");
    WriteOptions options{.chunk = array.metadata().chunk};
    if (!compressor.is_null()) {
      std::string id = compressor.at("id").as_text();
      options.compressor = id == "zstd"   ? Compressor::zstd
                           : id == "gzip" ? Compressor::gzip
                                          : Compressor::zlib;
      options.level = static_cast<int>(compressor.at("level").as_integer());
    }
    Writer writer(files, name, array.type(), options);
    EXPECT_EQ(writer.metadata_text(), text) << name;
  }
}

}  // namespace
}  // namespace meshwright::io::zarr
