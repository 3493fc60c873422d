// SPDX-License-Identifier: Apache-2.0
// Several writers of one step, in threads or in processes that share memory.
#pragma once

#include <atomic>

#include <unistd.h>

#include "meshwright/base/error.h"
#include "meshwright/checkpoint/checkpoint_testutil.h"
#include "meshwright/checkpoint/crash_testutil.h"
#include "meshwright/checkpoint/save/joint_write.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"

namespace meshwright::checkpoint {

/// A barrier between writers. Real barriers have a timeout instead of record_gone().
class Meeting {
 public:
  explicit Meeting(int num_members) : num_members_(num_members) {}

  bool agree(bool is_well) {
    const int turn = turn_;
    if (!is_well) is_one_unwell_ = true;
    if (++num_here_ == num_members_) {
      are_well_ = !is_one_unwell_.exchange(false);
      num_here_ = 0;
      ++turn_;
    }
    while (turn_ == turn) {
      if (is_one_gone_) fail(ErrorCode::unavailable, "one is gone");
      usleep(20);
    }
    return are_well_;
  }
  /// Makes waiting members fail.
  void record_gone() { is_one_gone_ = true; }

 private:
  const int num_members_;
  std::atomic<int> num_here_ = 0;
  std::atomic<int> turn_ = 0;
  std::atomic<bool> is_one_unwell_ = false;
  std::atomic<bool> are_well_ = true;
  std::atomic<bool> is_one_gone_ = false;
};

/// Writes one writer's share of a step. The writers meet at `meeting`.
inline void write_part(const Format& format,
                       const Files& files,
                       const Contents& contents,
                       const WriteOptions& options,
                       Meeting& meeting) {
  write_jointly(format, files, "run", plan_of(contents),
                {options, [&](bool is_well) { return meeting.agree(is_well); }},
                [&](CheckpointWriter& writer) { write_parts_of(options, contents, writer); });
}

}  // namespace meshwright::checkpoint
