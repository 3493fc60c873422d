// SPDX-License-Identifier: Apache-2.0
// A folder of checkpoints in memory, the processes that write there, and everything else that
// happens to it. The results are compared with the model.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/io/faulty_file_system.h"
#include "meshwright/io/memory_file_system.h"
#include "operation.h"
#include "promises.h"

namespace meshwright::machine {

/// The failure of a process, counted from when it was set.
struct Trouble {
  enum class Kind { none, dies, fails_once, fails_from_there };
  Kind kind = Kind::none;
  std::size_t at_call = 0;
  std::size_t calls_before = 0;
  bool is_dead = false;
};

class World {
 public:
  explicit World(const Sequence& sequence);
  ~World();

  /// Performs the operation. Throws Violation if a promise is broken.
  void act(const Operation& operation);

 private:
  void start(Trouble trouble = {});
  void save(const Operation& operation, Trouble trouble);
  void save_jointly(const Operation& operation, bool one_dies);
  void go_back(const Operation& operation);
  void collect(const Operation& operation);
  void what_others_do(const Operation& operation);
  void damage(const Operation& operation);
  void put_foreign(const Operation& operation);
  void move_away(const Operation& operation);
  void move_back();
  void copy(const Operation& operation);
  void pin(const Operation& operation, bool is_pinned);

  void need_process();
  void end_process();
  void set_trouble(Trouble trouble);
  std::shared_ptr<io::FileSystem> files_of_process();
  checkpoint::Contents next_contents(const Operation& operation);
  /// Returns a step that exists and is known, chosen by a number; nullopt if there is none.
  std::optional<std::int64_t> choose(std::uint32_t which, bool only_undamaged) const;
  std::string name_of(std::int64_t step) const { return format_.step_name(step); }
  std::set<std::int64_t> steps_there() const;
  /// Compares the files with the model, and removes from the model what the rules removed.
  void judge(const Rules& rules);
  void judge_beginning() const;
  /// Returns the step of another format, if it exists and is readable.
  std::optional<checkpoint::CheckpointEntry> foreign() const;
  bool is_newer_than_all(const checkpoint::CheckpointEntry& foreign) const;
  void begin_elsewhere();
  void let_all_reach_the_disk();

  const checkpoint::Format& format_;
  Rules rules_;
  checkpoint::Retention retention_;
  std::shared_ptr<io::MemoryFileSystem> disk_ = std::make_shared<io::MemoryFileSystem>();
  Promises promises_;
  std::shared_ptr<Trouble> trouble_;
  std::shared_ptr<io::FaultyFileSystem> files_;
  std::optional<checkpoint::Manager> process_;
  /// The format of the last foreign step that was created.
  const checkpoint::Format* foreign_format_ = nullptr;
  std::string foreign_folder_;
  struct Moved {
    std::int64_t step = 0;
    std::string to;
    Promise promise;
  };
  std::vector<Moved> moved_;
  std::int64_t current_step_ = 0;
  std::int64_t num_saves_ = 0;
  std::int64_t now_ = 1'700'000'000;
  /// After an interruption, names are correct again only after the next start.
  bool is_interrupted_ = false;
};

/// Returns the violation that a sequence causes; nullopt if there is none.
std::optional<std::string> violation_of(const Sequence& sequence);

}  // namespace meshwright::machine
