// SPDX-License-Identifier: Apache-2.0
// usage: bench_checkpoint STATE
// Saves and restores the arrays of STATE (common/training_state.py). Commands on standard input:
//   save FOLDER none|zstd    saves in the native format
//   restore FOLDER           restores and compares with STATE
//   block FOLDER copy|hold   saves from a device in the background; reports how long training waits
//   write FOLDER             writes the same bytes plainly to one file and syncs it
//   read FOLDER              reads that file into one block of memory
//   copy FOLDER              copies the bytes in memory
// Answers every command with the seconds it took, after restore also with the number of equal
// bytes, then with a line "done".
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "meshwright/base/check.h"
#include "meshwright/checkpoint/format/format.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/checkpoint/run/locate.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"
#include "meshwright/io/file_system.h"
#include "meshwright/runtime/client.h"
#include "meshwright/tensor/ranges.h"

namespace meshwright::checkpoint {
namespace {

using Clock = std::chrono::steady_clock;

struct NamedArray {
  std::string path;
  HostTensor value;
};

ArrayType read_type(std::istream& line) {
  std::string dtype;
  line >> dtype;
  MW_CHECK(dtype == "float32" || dtype == "bfloat16", "STATE: unsupported dtype ", dtype);
  ArrayType out{dtype == "float32" ? DType::f32 : DType::bf16, {}};
  for (std::int64_t size = 0; line >> size;)
    out.dims.push_back(size);
  return out;
}

std::vector<NamedArray> read_state(const std::string& folder) {
  std::vector<NamedArray> out;
  std::ifstream names(folder + "/state.txt");
  std::ifstream data(folder + "/state.bin", std::ios::binary);
  for (std::string text; std::getline(names, text);) {
    std::istringstream line(text);
    NamedArray array;
    line >> array.path;
    array.value = HostTensor(read_type(line));
    data.read(reinterpret_cast<char*>(array.value.mutable_data()),
              static_cast<std::streamsize>(array.value.num_bytes()));
    out.push_back(std::move(array));
  }
  MW_CHECK(!out.empty() && data.good(), "STATE: ", folder, " does not hold a complete state");
  return out;
}

class Bench {
 public:
  explicit Bench(const std::string& state) : arrays_(read_state(state)) {
    contents_.step = 1;
    for (const NamedArray& array : arrays_) {
      Part whole{whole_ranges(array.value.dims()), array.value};
      contents_.arrays[array.path] = ArrayParts{array.value.type(), {whole}};
    }
  }

  void answer(const std::string& text) {
    std::istringstream line(text);
    std::string command, folder, how;
    line >> command >> folder >> how;
    if (command == "save") {
      time([&] { save(folder, how); });
    } else if (command == "restore") {
      Contents restored;
      time([&] { restored = restore(folder); });
      std::printf("bytes %llu\n", static_cast<unsigned long long>(equal_bytes(restored)));
    } else if (command == "block") {
      save_in_background(folder, how == "hold" ? SnapshotKind::hold : SnapshotKind::copy);
    } else if (command == "write") {
      time([&] { write_plainly(folder + "/plain"); });
    } else if (command == "read") {
      time([&] { read_plainly(folder + "/plain"); });
    } else if (command == "copy") {
      time([&] { copy(); });
    } else {
      fail(ErrorCode::invalid_argument, "unknown command '", text, "'");
    }
    std::printf("done\n");
    std::fflush(stdout);
  }

 private:
  static void time(const std::function<void()>& work) {
    Clock::time_point begin = Clock::now();
    work();
    std::printf("seconds %.6f\n", std::chrono::duration<double>(Clock::now() - begin).count());
  }

  void save(const std::string& folder, const std::string& compressor) const {
    WriteOptions options;
    if (compressor == "zstd") options.compressor = io::zarr::Compressor::zstd;
    write_checkpoint(format_named("native"), io::open_file_system(folder), "", contents_, options);
  }

  // Times the second of two saves: the first one allocates the memory for the copy.
  void save_in_background(const std::string& folder, SnapshotKind kind) {
    if (!on_device_) on_device_ = put_all();
    Manager manager({.folder = folder, .saving = {.snapshot = kind}});
    manager.save({.step = 1, .arrays = *on_device_});
    manager.wait();
    time([&] { manager.save({.step = 2, .arrays = *on_device_}); });
    manager.finish();
  }

  Tree<runtime::DeviceArray> put_all() {
    client_ = runtime::open();
    Tree<runtime::DeviceArray> out;
    for (const NamedArray& array : arrays_)
      out[array.path] = client_->put(array.value);
    return out;
  }

  static Contents restore(const std::string& folder) {
    Location location = locate(folder);
    return read_contents(location.format->open(location.files, location.step().folder));
  }

  std::uint64_t equal_bytes(const Contents& restored) const {
    std::uint64_t out = 0;
    for (const NamedArray& array : arrays_) {
      HostTensor found = assemble(restored.arrays.at(array.path).value());
      bool is_same = found.type() == array.value.type() &&
                     std::memcmp(found.data(), array.value.data(), found.num_bytes()) == 0;
      if (is_same) out += found.num_bytes();
    }
    return out;
  }

  void write_plainly(const std::string& name) const {
    int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    for (const NamedArray& array : arrays_) {
      for (auto left = array.value.bytes(); !left.empty();) {
        ssize_t num_written = ::write(file, left.data(), left.size());
        MW_CHECK(num_written > 0, "writing ", name, ": ", std::strerror(errno));
        left = left.subspan(static_cast<std::size_t>(num_written));
      }
    }
    MW_CHECK(::fsync(file) == 0 && ::close(file) == 0, "syncing ", name);
  }

  void read_plainly(const std::string& name) {
    std::unique_ptr<io::ReadableFile> file = io::open_file_system("/")->open(name.substr(1));
    io::Buffer out(file->num_bytes());
    file->read(0, out.span());
  }

  void copy() const {
    for (const NamedArray& array : arrays_) {
      io::Buffer out(array.value.num_bytes());
      std::memcpy(out.data(), array.value.data(), out.size());
    }
  }

  std::vector<NamedArray> arrays_;
  Contents contents_;
  std::optional<runtime::Client> client_;
  std::optional<Tree<runtime::DeviceArray>> on_device_;
};

int run_bench(int argc, char** argv) {
  MW_CHECK(argc == 2, "usage: bench_checkpoint STATE");
  Bench bench(argv[1]);
  for (std::string line; std::getline(std::cin, line);)
    bench.answer(line);
  return 0;
}

}  // namespace
}  // namespace meshwright::checkpoint

int main(int argc, char** argv) {
  try {
    return meshwright::checkpoint::run_bench(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_checkpoint: %s\n", error.what());
    return 70;
  }
}
