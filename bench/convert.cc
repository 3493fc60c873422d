// SPDX-License-Identifier: Apache-2.0
// usage: bench_convert FOLDER THREADS CHUNK_BYTES
// Decodes all chunks of the arrays below FOLDER, of CHUNK_BYTES each, from memory and into memory
// that is reused. Prints the seconds, which are the codec's alone.
#include <atomic>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "meshwright/io/codecs/codec.h"

namespace meshwright {
namespace {

// Chunks have names such as "0.12".
std::vector<std::string> read_chunks(const std::string& folder) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || std::isdigit(static_cast<unsigned char>(name[0])) == 0)
      continue;
    std::ifstream file(entry.path(), std::ios::binary);
    std::string& bytes = out.emplace_back(entry.file_size(), '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  return out;
}

void decode_all(const std::vector<std::string>& chunks, int num_threads, std::size_t chunk_bytes) {
  const io::CodecPtr codec = io::deflate_codec(io::DeflateFraming::gzip);
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < num_threads; ++i) {
    threads.emplace_back([&] {
      io::Buffer out(chunk_bytes);
      for (std::size_t at = next++; at < chunks.size(); at = next++)
        codec->decode_into(io::as_bytes(chunks[at]), out.span());
    });
  }
}

}  // namespace
}  // namespace meshwright

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: bench_convert FOLDER THREADS CHUNK_BYTES\n";
    return 2;
  }
  const std::vector<std::string> chunks = meshwright::read_chunks(argv[1]);
  const auto begin = std::chrono::steady_clock::now();
  meshwright::decode_all(chunks, std::atoi(argv[2]), std::strtoull(argv[3], nullptr, 10));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("%.6f\n", seconds.count());
}
