// SPDX-License-Identifier: Apache-2.0
// Writes checkpoints for other programs to read, and reads theirs.
//     checkpoint_files write FOLDER   one in each format: FOLDER/<format>[-zstd]/<step>
//     checkpoint_files read FOLDER    of a run or a step
// Prints the contents as JSON: {"arrays": {path: {"dtype", "shape", "hex"}}, "step", ...}.
#include <iostream>
#include <string>

#include "meshwright/base/json.h"
#include "meshwright/checkpoint/checkpoint_testutil.h"
#include "meshwright/checkpoint/format/format.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/run/locate.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"

namespace {

using namespace meshwright;              // NOLINT(google-build-using-namespace): a test program
using namespace meshwright::checkpoint;  // NOLINT(google-build-using-namespace)

std::string hex(std::span<const std::byte> bytes) {
  std::string out;
  for (std::byte byte : bytes) {
    for (int shift : {4, 0})
      out += "0123456789abcdef"[(std::to_integer<unsigned>(byte) >> shift) & 15u];
  }
  return out;
}

std::string describe(const Contents& contents, std::string_view format) {
  JsonWriter json;
  json.begin_object().field("format", format).field("step", contents.step);
  json.key("arrays").begin_object();
  for_each(contents.arrays, [&](const std::string& path, const ArrayParts& array) {
    json.key(path).begin_object().field("dtype", numpy_name(array.type.dtype));
    json.key("shape").begin_array();
    for (std::int64_t size : array.type.dims)
      json.value(size);
    json.end_array().field("hex", hex(assemble(array).bytes())).end_object();
  });
  return json.end_object().end_object().str();
}

// Small numbers of every type that TensorStore supports in zarr 2.
void add_every_dtype(Contents& contents) {
  for (const DType dtype : kAllDTypes) {
    if (dtype == DType::u4) continue;
    const ArrayType type{dtype, {6}};
    HostTensor value(type);
    for (std::size_t i = 0; i < 6; ++i)
      value.mutable_data()[i * byte_size(dtype)] =
          static_cast<std::byte>(dtype == DType::pred ? i % 2 : i + 1);
    contents.arrays[str("dtypes/", numpy_name(dtype))] =
        ArrayParts{type, {{whole_ranges(type.dims), value}}};
  }
}

void write(const std::string& folder) {
  Contents contents = sample_contents(12);
  add_every_dtype(contents);
  for (const Format* format : formats()) {
    for (bool compressed : {false, true}) {
      WriteOptions options{.max_chunk_bytes = 40};
      if (compressed) options.compressor = io::zarr::Compressor::zstd;
      std::string run = str(format->name(), compressed ? "-zstd" : "");
      write_checkpoint(*format, io::open_file_system(folder), run, contents, options);
    }
  }
  std::cout << describe(contents, "") << "\n";
}

void read(const std::string& folder) {
  Location location = locate(folder);
  Contents contents =
      read_contents(location.container->open(location.files, location.step().folder));
  std::cout << describe(contents, location.format->name()) << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 3 && std::string(argv[1]) == "write") {
      write(argv[2]);
    } else if (argc == 3 && std::string(argv[1]) == "read") {
      read(argv[2]);
    } else {
      std::cerr << "usage: checkpoint_files write|read FOLDER\n";
      return 2;
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
