// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/save/joint_write.h"

#include <exception>
#include <memory>

#include "meshwright/base/check.h"

namespace meshwright::checkpoint {
namespace {

/// Runs the actions of one process in turns. A turn ends in a barrier even if its action fails, so
/// that the other processes do not wait for this one.
class Turns {
 public:
  Turns(std::int64_t step, const Writers& writers) : step_(step), writers_(writers) {}

  bool is_first() const { return writers_.options.process == 0; }

  /// Runs the action, waits for the others, and throws unless all succeeded.
  void take(const char* what, const std::function<void()>& action) {
    std::exception_ptr error;
    try {
      action();
    } catch (const Error&) {
      error = std::current_exception();
    }
    const bool are_well = writers_.agree(error == nullptr);
    if (error) std::rethrow_exception(error);
    if (!are_well) {
      fail(ErrorCode::unavailable, "checkpoint: step ", step_, ": another of ",
           writers_.options.num_processes, " processes failed ", what);
    }
  }

 private:
  const std::int64_t step_;
  const Writers& writers_;
};

}  // namespace

void write_jointly(const Container& container,
                   const Files& files,
                   const std::string& path,
                   const CheckpointPlan& plan,
                   const Writers& writers,
                   const std::function<void(CheckpointWriter& writer)>& write) {
  Turns turns(plan.step, writers);
  std::unique_ptr<CheckpointWriter> writer;
  bool is_committed = false;
  auto begin = [&] { writer = container.begin(files, path, plan, writers.options); };
  try {
    turns.take("to start", [&] {
      if (turns.is_first()) begin();
    });
    turns.take("to write its parts", [&] {
      if (!turns.is_first()) begin();
      write(*writer);
      writer->finish();
    });
    turns.take("to commit", [&] {
      if (!turns.is_first()) return;
      writer->commit();
      is_committed = true;
    });
  } catch (const Error&) {
    // Frees disk space that the next save may need.
    if (turns.is_first() && writer && !is_committed) writer->abandon();
    throw;
  }
}

}  // namespace meshwright::checkpoint
