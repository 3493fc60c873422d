// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/crash_testutil.h"

#include <csignal>
#include <cstdlib>

#include <unistd.h>

#include "meshwright/base/error.h"
#include "meshwright/checkpoint/checkpoint_testutil.h"
#include "meshwright/checkpoint/run/steps.h"

namespace meshwright::checkpoint {

io::Fault die_at(std::size_t n) {
  io::Fault fault;
  fault.before = [n](const io::FileCall& call) {
    if (call.is_changing() && call.num_changing >= n) throw Died();
  };
  fault.shorten = [n](const io::FileCall& call, std::size_t num_bytes) {
    return call.num_changing + 1 == n ? num_bytes / 2 : num_bytes;
  };
  return fault;
}

Contents contents_of(std::int64_t step, std::int64_t seed) {
  Contents out = sample_contents(seed);
  out.step = step;
  return out;
}

States restore_all(const Format& format, const Files& files, const std::string& run) {
  States out;
  for (const CheckpointEntry& entry : list_steps(format, files, run)) {
    if (!entry.is_committed) continue;
    try {
      out[entry.step] = digest(read_contents(format.open(files, entry.folder)));
    } catch (const Error& error) {
      out[entry.step] = str("damaged: ", error.what());
    }
  }
  return out;
}

void write_parts_of(const WriteOptions& options,
                    const Contents& contents,
                    CheckpointWriter& writer) {
  int next = 0;
  for_each(contents.arrays, [&](const std::string& path, const ArrayParts& array) {
    for (const Part& part : array.parts)
      if (next++ % options.num_processes == options.process) writer.write(path, part);
  });
}

std::filesystem::path quick_folder() {
  constexpr const char* kMemory = "/dev/shm";
  return std::filesystem::is_directory(kMemory) ? kMemory : std::filesystem::temp_directory_path();
}

io::Fault kill_at(std::size_t n) {
  io::Fault fault = die_at(n);
  fault.before = [n](const io::FileCall& call) {
    if (call.is_changing() && call.num_changing >= n) kill(getpid(), SIGKILL);
  };
  return fault;
}

std::size_t calls_between_kills(std::size_t otherwise) {
  return std::getenv("MW_KILL_AT_EVERY_CALL") != nullptr ? 1 : otherwise;
}

}  // namespace meshwright::checkpoint
