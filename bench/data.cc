// SPDX-License-Identifier: Apache-2.0
// usage: bench_data COMMAND ARGUMENT..., see data/commands.h
#include <exception>
#include <vector>

#include "data/commands.h"
#include "meshwright/base/error.h"

namespace meshwright::bench {
namespace {

void run(const std::string& command, std::span<const std::string> arguments) {
  if (command == "encode") return encode_texts(arguments);
  if (command == "read") return read_records(arguments);
  if (command == "pack") return pack_documents(arguments);
  if (command == "feed") return feed_devices(arguments);
  fail(ErrorCode::invalid_argument, "unknown command '", command, "'");
}

}  // namespace
}  // namespace meshwright::bench

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.empty()) meshwright::fail(meshwright::ErrorCode::invalid_argument, "no command");
    meshwright::bench::run(words[0], std::span(words).subspan(1));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_data: %s\n", error.what());
    return 70;
  }
}
