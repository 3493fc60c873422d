// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/crash_testutil.h"

#include "meshwright/base/error.h"
#include "meshwright/checkpoint/checkpoint_testutil.h"

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
  for (const StepEntry& entry : list_steps(format, files, run)) {
    if (!entry.is_committed) continue;
    try {
      out[entry.step] = digest(read_contents(format.open(files, entry.folder)));
    } catch (const Error& error) {
      out[entry.step] = str("damaged: ", error.what());
    }
  }
  return out;
}

}  // namespace meshwright::checkpoint
