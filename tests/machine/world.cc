// SPDX-License-Identifier: Apache-2.0
#include "world.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "damage.h"
#include "meshwright/base/error.h"
#include "meshwright/base/log.h"
#include "meshwright/base/str.h"
#include "meshwright/checkpoint/checkpoint_testutil.h"
#include "meshwright/checkpoint/crash_testutil.h"
#include "meshwright/checkpoint/format/pins.h"
#include "meshwright/checkpoint/format/step_folders.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/checkpoint/retention/garbage.h"
#include "meshwright/checkpoint/run/locate.h"
#include "meshwright/checkpoint/run/steps.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"
#include "meshwright/io/path.h"

namespace meshwright::machine {
namespace {

using checkpoint::CheckpointWriter;
using checkpoint::Contents;
using checkpoint::Died;

io::Fault fault_of(const std::shared_ptr<Trouble>& trouble) {
  // Returns the number of calls since the one that fails; negative before it.
  auto past = [trouble](std::size_t num_changing) {
    return static_cast<std::int64_t>(num_changing - trouble->calls_before) -
           static_cast<std::int64_t>(trouble->at_call);
  };
  io::Fault out;
  out.before = [trouble, past](const io::FileCall& call) {
    if (trouble->is_dead) throw Died();
    if (trouble->kind == Trouble::Kind::none || !call.is_changing()) return;
    const std::int64_t by = past(call.num_changing);
    if (by < 0) return;
    if (trouble->kind == Trouble::Kind::dies) {
      trouble->is_dead = true;
      throw Died();
    }
    if (by == 0 || trouble->kind == Trouble::Kind::fails_from_there)
      fail(ErrorCode::resource_exhausted, "the disk is full: ", call.path);
  };
  out.shorten = [trouble, past](const io::FileCall& call, std::size_t num_bytes) {
    const bool is_last = trouble->kind == Trouble::Kind::dies && past(call.num_changing + 1) == 0;
    return is_last ? num_bytes / 2 : num_bytes;
  };
  return out;
}

std::optional<std::int64_t> if_set(std::int64_t number) {
  return number == 0 ? std::nullopt : std::optional(number);
}

std::int64_t far_away(std::uint32_t which) {
  constexpr std::int64_t kTwentyYears = 631'152'000;
  constexpr std::array<std::int64_t, 6> kJumps = {1, 3600, -3600, kTwentyYears, -kTwentyYears, -1};
  return kJumps[which % kJumps.size()];
}

}  // namespace

World::World(const Sequence& sequence)
    : format_(checkpoint::format_named(sequence.format)),
      rules_{if_set(sequence.keep_last_n), if_set(sequence.keep_every_n_steps),
             if_set(sequence.keep_every_seconds)} {
  retention_.keep_last_n = rules_.keep_last_n;
  retention_.keep_every_n_steps = rules_.keep_every_n_steps;
  if (rules_.keep_every_seconds)
    retention_.keep_every_seconds = static_cast<double>(*rules_.keep_every_seconds);
}

World::~World() {
  end_process();
}

void World::end_process() {
  if (!process_) return;
  trouble_->is_dead = true;
  process_.reset();
}

std::shared_ptr<io::FileSystem> World::files_of_process() {
  trouble_ = std::make_shared<Trouble>();
  files_ = std::make_shared<io::FaultyFileSystem>(disk_, fault_of(trouble_));
  return files_;
}

void World::set_trouble(Trouble trouble) {
  trouble.calls_before = files_->num_changing_calls();
  *trouble_ = trouble;
}

void World::start(Trouble trouble) {
  end_process();
  is_interrupted_ = true;
  checkpoint::ManagerOptions options{.folder = "memory",
                                     .format = std::string(format_.name()),
                                     .retention = retention_,
                                     .saving = {.threads = 1, .max_failed_saves = 1'000'000},
                                     .files = files_of_process(),
                                     .now_seconds = [this] { return now_; }};
  set_trouble(trouble);
  const std::optional<checkpoint::CheckpointEntry> other = foreign();
  try {
    process_.emplace(std::move(options));
    if (other && is_newer_than_all(*other))
      throw Violation{str("continues although ", other->folder, " of another format is newer")};
    const std::optional<Contents> found = process_->restore_newest();
    if (found) promises_.check_restored(found->step, checkpoint::digest(*found));
    if (!found) judge_beginning();
    current_step_ = found ? found->step : 0;
  } catch (const Died&) {
    return end_process();
  } catch (const Error& error) {
    end_process();
    const std::optional<std::int64_t> newest = promises_.newest_sound();
    if (other && (!newest || *newest < other->step)) {  // as the message says, that one is moved
                                                        // aside
      remove_tree(*disk_, other->folder);
      let_all_reach_the_disk();
      return start();
    }
    if (error.code() != ErrorCode::no_checkpoint)
      throw Violation{str("a start failed: ", error.message())};
    if (newest)
      throw Violation{
          str("cannot continue although step ", *newest, " is intact: ", error.message())};
    begin_elsewhere();
    return start();
  }
  set_trouble({});
  is_interrupted_ = false;
  judge(rules_);
}

void World::let_all_reach_the_disk() {
  disk_->lose_power([](std::size_t num) { return num; });
}

void World::begin_elsewhere() {
  disk_ = std::make_shared<io::MemoryFileSystem>();
  promises_.forget_all();
  moved_.clear();
}

void World::need_process() {
  if (!process_) start();
}

Contents World::next_contents(const Operation& operation) {
  now_ += 10 + operation.b;
  Contents out = checkpoint::contents_of(current_step_ + 1 + operation.a % 3, ++num_saves_);
  checkpoint::add_facts(out.meta, retention_, std::nullopt, now_);
  return out;
}

void World::save(const Operation& operation, Trouble trouble) {
  need_process();
  const Contents contents = next_contents(operation);
  const std::string digest = checkpoint::digest(contents);
  promises_.note_tried(contents.step, digest, now_);
  set_trouble(trouble);
  try {
    process_->save(contents);
    process_->finish();
    set_trouble({});
    promises_.record_saved(contents.step, digest, now_);
    current_step_ = contents.step;
  } catch (const Died&) {
    is_interrupted_ = true;
    return end_process();
  } catch (const Error& error) {
    if (trouble.kind == Trouble::Kind::none)
      throw Violation{str("a save failed: ", error.message())};
    // A single error leaves everything in order; after a permanent failure, the next start cleans
    // up.
    is_interrupted_ = trouble.kind != Trouble::Kind::fails_once;
    if (is_interrupted_) return end_process();
    set_trouble({});
  }
  judge(rules_);
}

void World::save_jointly(const Operation& operation, bool one_dies) {
  need_process();
  const int num_processes = 2 + static_cast<int>(operation.a % 2);
  const Contents contents = next_contents(operation);
  const std::string digest = checkpoint::digest(contents);
  promises_.note_tried(contents.step, digest, now_);
  std::vector<std::unique_ptr<CheckpointWriter>> writers;
  auto trouble_of = [&](int process) {
    auto out = std::make_shared<Trouble>();
    const bool dies = one_dies && static_cast<int>(operation.b) % num_processes == process;
    if (dies) *out = {Trouble::Kind::dies, 1 + operation.b / static_cast<unsigned>(num_processes)};
    return out;
  };
  auto options_of = [&](int process) {
    checkpoint::WriteOptions out;
    out.process = process;
    out.num_processes = num_processes;
    return out;
  };
  try {
    for (int process = 0; process < num_processes; ++process) {
      auto files = std::make_shared<io::FaultyFileSystem>(disk_, fault_of(trouble_of(process)));
      writers.push_back(
          format_.begin(files, "", checkpoint::plan_of(contents), options_of(process)));
    }
    for (int process = 0; process < num_processes; ++process) {
      CheckpointWriter& writer = *writers[static_cast<std::size_t>(process)];
      checkpoint::write_parts_of(options_of(process), contents, writer);
      writer.finish();
    }
    writers[0]->commit();
  } catch (const Died&) {
    is_interrupted_ = true;
    return end_process();  // without one, all processes end
  } catch (const Error& error) {
    throw Violation{str("a joint save failed: ", error.message())};
  }
  promises_.record_saved(contents.step, digest, now_);
  current_step_ = contents.step;
  judge(rules_);
}

void World::go_back(const Operation& operation) {
  need_process();
  const std::optional<std::int64_t> step = choose(operation.a, /*only_undamaged=*/true);
  if (!step) return;
  process_->remove_after(*step);
  const std::map<std::int64_t, Promise> before = promises_.all();
  for (const auto& [other, unused] : before)
    if (other > *step) promises_.forget(other);
  current_step_ = *step;
  judge(rules_);
}

// Like `ckpt gc`, which detects the format.
void World::collect(const Operation& operation) {
  if (is_interrupted_) start();
  const Rules rules{.keep_last_n = 1 + operation.a % 3};
  checkpoint::Retention retention;
  retention.keep_last_n = rules.keep_last_n;
  const checkpoint::Format* found = checkpoint::find_format_of_run(disk_, "");
  if (found == nullptr) return;
  const std::optional<std::int64_t> newest = promises_.newest_sound();
  const std::optional<checkpoint::CheckpointEntry> other = foreign();
  if (newest && found != &format_ && !(other && other->step >= *newest))
    throw Violation{str("is detected as a run in the format ", found->name())};
  const bool takes_damaged = operation.b % 2 == 0;
  const checkpoint::Garbage garbage =
      checkpoint::find_garbage(*found, disk_, "", retention, takes_damaged);
  for (const checkpoint::Garbage::Item& item : garbage.items)
    checkpoint::remove(*found, disk_, item);
  judge(rules);
}

std::optional<std::int64_t> World::choose(std::uint32_t which, bool only_undamaged) const {
  const std::set<std::int64_t> there = steps_there();
  std::vector<std::int64_t> choices;
  for (const auto& [step, promise] : promises_.all())
    if (there.contains(step) && !(only_undamaged && !promise.is_sound())) choices.push_back(step);
  if (choices.empty()) return std::nullopt;
  return choices[which % choices.size()];
}

void World::damage(const Operation& operation) {
  const std::optional<std::int64_t> step = choose(operation.a, /*only_undamaged=*/true);
  if (operation.action == Action::put_something) {
    const std::int64_t last = promises_.all().empty() ? 0 : promises_.all().rbegin()->first;
    const std::string name = name_of(last + 1 + operation.a % 5);
    if (!disk_->find(name)) put_something(*disk_, name, operation.b);
  } else if (step && operation.action == Action::damage_folder) {
    damage_folder(*disk_, name_of(*step), operation.b);
    promises_.find(*step)->is_damaged = true;
  } else if (step &&
             damage_file(*disk_, name_of(*step), operation.a / 7 + operation.b, operation.b)) {
    promises_.find(*step)->is_damaged = true;
  }
}

std::optional<checkpoint::CheckpointEntry> World::foreign() const {
  if (foreign_format_ == nullptr || !disk_->find(foreign_folder_)) return std::nullopt;
  const std::vector<checkpoint::CheckpointEntry> steps =
      checkpoint::steps_of_format(*foreign_format_, disk_, "");
  const auto found =
      std::ranges::find(steps, foreign_folder_, &checkpoint::CheckpointEntry::folder);
  if (found == steps.end() || find_flaw(*foreign_format_, disk_, *found)) return std::nullopt;
  return *found;
}

bool World::is_newer_than_all(const checkpoint::CheckpointEntry& foreign) const {
  return promises_.all().empty() || foreign.step > promises_.all().rbegin()->first;
}

// At most one at a time: complete, half, or a single file of it, also inside a step of this run.
void World::put_foreign(const Operation& operation) {
  if (foreign()) return;
  std::vector<const checkpoint::Format*> others = checkpoint::formats();
  std::erase(others, &format_);
  const checkpoint::Format& other = *others[operation.a % others.size()];
  const std::int64_t last = promises_.all().empty() ? 0 : promises_.all().rbegin()->first;
  const std::string name = other.step_name(last + 1 + operation.a % 5);
  auto apart = std::make_shared<io::MemoryFileSystem>();
  write_checkpoint(other, apart, "",
                   checkpoint::contents_of(last + 1 + operation.a % 5, operation.b));
  if (operation.b % 3 == 0) {
    if (disk_->find(name)) return;
    foreign_format_ = &other;
    foreign_folder_ = name;
    write_checkpoint(other, disk_, "",
                     checkpoint::contents_of(last + 1 + operation.a % 5, operation.b));
    return;
  }
  const std::vector<std::string> files = apart->files();
  const std::string& file = files[operation.b / 3 % files.size()];
  const std::optional<std::int64_t> into = choose(operation.a, /*only_undamaged=*/true);
  const std::string stray =
      (operation.b % 3 == 1 && into ? name_of(*into) : name) + file.substr(file.find('/'));
  try {
    if (disk_->find(stray)) return;
    disk_->make_folder(io::parent_of(stray));
  } catch (const Error&) {
    return;  // the entry is not a folder
  }
  io::write_text(*disk_, stray, apart->content(file));
}

void World::move_away(const Operation& operation) {
  const std::optional<std::int64_t> step = choose(operation.a, /*only_undamaged=*/true);
  const std::string to = str("backup", operation.b);
  if (!step || disk_->find(to)) return;
  disk_->rename(name_of(*step), to);
  moved_.push_back({*step, to, *promises_.find(*step)});
  promises_.forget(*step);
}

void World::move_back() {
  if (moved_.empty()) return;
  const Moved last = moved_.back();
  if (!disk_->find(last.to) || disk_->find(name_of(last.step))) return;
  moved_.pop_back();
  disk_->rename(last.to, name_of(last.step));
  *promises_.add(last.step) = last.promise;
}

void World::copy(const Operation& operation) {
  const std::optional<std::int64_t> step = choose(operation.a, /*only_undamaged=*/true);
  if (!step) return;
  const std::int64_t last = promises_.all().rbegin()->first;
  const std::string to =
      operation.b % 2 == 0 ? str("copy of ", name_of(*step)) : name_of(last + 1 + operation.b % 4);
  if (!disk_->find(to)) copy_folder(*disk_, name_of(*step), to);
}

void World::pin(const Operation& operation, bool is_pinned) {
  const std::optional<std::int64_t> step = choose(operation.a, /*only_undamaged=*/false);
  if (!step) return;
  (is_pinned ? checkpoint::pin : checkpoint::unpin)(*disk_, name_of(*step));
  promises_.find(*step)->is_pinned = is_pinned;
}

void World::what_others_do(const Operation& operation) {
  switch (operation.action) {
    case Action::put_foreign:
      return put_foreign(operation);
    case Action::move_away:
      return move_away(operation);
    case Action::move_back:
      return move_back();
    case Action::copy:
      return copy(operation);
    default:
      return damage(operation);
  }
}

void World::act(const Operation& operation) {
  using enum Action;
  auto at = [&](Trouble::Kind kind) { return Trouble{kind, 1 + operation.b}; };
  switch (operation.action) {
    case start:
      return this->start();
    case save:
      return this->save(operation, {});
    case die_saving:
      return this->save(operation, at(Trouble::Kind::dies));
    case die_starting:
      return this->start({Trouble::Kind::dies, 1 + operation.a});
    case fail_saving:
      return this->save(operation, at(operation.b % 2 == 0 ? Trouble::Kind::fails_once
                                                           : Trouble::Kind::fails_from_there));
    case save_jointly:
    case die_jointly:
      return this->save_jointly(operation, operation.action == die_jointly);
    case stop:
      return end_process();
    case lose_power: {
      end_process();
      std::uint32_t luck = operation.a * 7919 + operation.b;
      return disk_->lose_power([&](std::size_t num) {
        luck = luck * 1664525 + 1013904223;
        return operation.a % 2 == 0 ? 0 : (luck >> 8) % (num + 1);
      });
    }
    case damage_file:
    case damage_folder:
    case put_something:
    case Action::put_foreign:
    case Action::move_away:
    case Action::move_back:
    case Action::copy:
      what_others_do(operation);
      return let_all_reach_the_disk();
    case jump_clock:
      now_ += far_away(operation.a);
      return;
    case Action::pin:
    case unpin:
      return this->pin(operation, operation.action == Action::pin);
    case Action::collect:
      return this->collect(operation);
    case Action::go_back:
      return this->go_back(operation);
    case num_actions:
      return;
  }
}

std::set<std::int64_t> World::steps_there() const {
  std::set<std::int64_t> out;
  for (const io::FolderEntry& entry : disk_->list(""))
    if (const auto step = format_.find_step(entry.name)) out.insert(*step);
  return out;
}

void World::judge(const Rules& rules) {
  if (is_interrupted_) return;
  const std::set<std::int64_t> there = steps_there();
  promises_.check_removed(rules, there);
  const std::map<std::int64_t, Promise> before = promises_.all();
  for (const auto& [step, promise] : before) {
    if (!there.contains(step)) {
      promises_.forget(step);
      continue;
    }
    if (!promise.is_sound()) continue;
    try {
      const Contents found = read_contents(format_.open(disk_, name_of(step)));
      if (!promise.contents.contains(checkpoint::digest(found)))
        throw Violation{str("step ", step, " has changed")};
    } catch (const Error& error) {
      throw Violation{str("step ", step, " is no longer readable: ", error.message())};
    }
  }
}

void World::judge_beginning() const {
  if (promises_.has_acknowledged())
    throw Violation{
        str("starts at 0 although step ", promises_.all().rbegin()->first, " was saved")};
  for (const Moved& one : moved_)
    if (disk_->find(one.to)) throw Violation{str("starts at 0 although there is ", one.to)};
  for (const io::FolderEntry& entry : disk_->list("")) {
    std::string name = entry.name;
    for (std::string_view prefix : {checkpoint::kDamaged, checkpoint::kReplaced})
      if (name.starts_with(prefix)) name.erase(0, prefix.size());
    if (format_.find_step(name)) throw Violation{str("starts at 0 although there is ", entry.name)};
  }
}

std::optional<std::string> violation_of(const Sequence& sequence) {
  const ScopedLogHandler quiet([](Severity, std::string_view) {});
  try {
    World world(sequence);
    for (const Operation& operation : sequence.operations)
      world.act(operation);
    world.act({Action::start});
    world.act({Action::save});
    world.act({Action::start});
  } catch (const Violation& violation) {
    return violation.what;
  } catch (const std::exception& error) {
    return str("unexpected: ", error.what());
  }
  return std::nullopt;
}

}  // namespace meshwright::machine
