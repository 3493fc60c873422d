// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/health/phase_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/io/memory_file_system.h"

namespace meshwright::train {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PhaseTrace, IsWrittenOnceAndOnlyIfStarted) {
  io::MemoryFileSystem files;
  PhaseTrace trace;
  trace.stop(files, "before.json");
  EXPECT_THAT(files.files(), IsEmpty());
  trace.start();
  trace.begin_phase(0, "saving");
  trace.stop(files, "first.json");
  trace.stop(files, "second.json");
  EXPECT_THAT(files.files(), ElementsAre("first.json"));
}

}  // namespace
}  // namespace meshwright::train
