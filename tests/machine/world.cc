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
#include "meshwright/checkpoint/pins.h"
#include "meshwright/checkpoint/step_folders.h"

namespace meshwright::machine {
namespace {

using checkpoint::Contents;
using checkpoint::Died;
using checkpoint::StepWriter;

io::Fault fault_of(const std::shared_ptr<Trouble>& trouble) {
  // How many calls it is past the one that goes wrong; negative before.
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

// --- processes ----------------------------------------------------------------------------------

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
  try {
    process_.emplace(std::move(options));
    const std::optional<Contents> found = process_->restore_newest();
    if (found) promises_.check_restored(found->step, checkpoint::digest(*found));
    if (!found) judge_beginning();
    current_step_ = found ? found->step : 0;
  } catch (const Died&) {
    return end_process();
  } catch (const Error& error) {
    end_process();
    if (error.code() != ErrorCode::no_checkpoint)
      throw Violation{str("a start failed: ", error.message())};
    if (promises_.newest_sound())
      throw Violation{str("no way to go on though step ", *promises_.newest_sound(),
                          " is whole: ", error.message())};
    // Somebody begins anew elsewhere.
    disk_ = std::make_shared<io::MemoryFileSystem>();
    promises_.forget_all();
    return start();
  }
  set_trouble({});
  is_interrupted_ = false;
  judge(rules_);
}

void World::need_process() {
  if (!process_) start();
}

// --- what a run does ----------------------------------------------------------------------------

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
    promises_.note_saved(contents.step, digest, now_);
    current_step_ = contents.step;
  } catch (const Died&) {
    is_interrupted_ = true;
    return end_process();
  } catch (const Error& error) {
    if (trouble.kind == Trouble::Kind::none)
      throw Violation{str("a save failed: ", error.message())};
    // A single error leaves everything in order; where nothing works any more, the next start does.
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
  std::vector<std::unique_ptr<StepWriter>> writers;
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
      StepWriter& writer = *writers[static_cast<std::size_t>(process)];
      checkpoint::write_parts_of(options_of(process), contents, writer);
      writer.finish();
    }
    writers[0]->commit();
  } catch (const Died&) {
    is_interrupted_ = true;
    return end_process();  // without one, all end
  } catch (const Error& error) {
    throw Violation{str("a joint save failed: ", error.message())};
  }
  promises_.note_saved(contents.step, digest, now_);
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

void World::collect(const Operation& operation) {
  if (is_interrupted_) start();
  const Rules rules{.keep_last_n = 1 + operation.a % 3};
  checkpoint::Retention retention;
  retention.keep_last_n = rules.keep_last_n;
  checkpoint::Collector collector(format_, disk_, "", retention);
  for (const checkpoint::StepEntry& entry : collector.find().to_remove)
    format_.remove(disk_, entry.folder);
  judge(rules);
}

// --- what others do -----------------------------------------------------------------------------

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
  disk_->lose_power([](std::size_t num) { return num; });  // all of it has reached the disk
}

void World::pin(const Operation& operation, bool is_pinned) {
  const std::optional<std::int64_t> step = choose(operation.a, /*only_undamaged=*/false);
  if (!step) return;
  (is_pinned ? checkpoint::pin : checkpoint::unpin)(*disk_, name_of(*step));
  promises_.find(*step)->is_pinned = is_pinned;
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
      return damage(operation);
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

// --- judging ------------------------------------------------------------------------------------

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
        throw Violation{str("step ", step, " has become another")};
    } catch (const Error& error) {
      throw Violation{str("step ", step, " cannot be read any more: ", error.message())};
    }
  }
}

void World::judge_beginning() const {
  if (promises_.has_acknowledged())
    throw Violation{str("begins at 0 though step ", promises_.all().rbegin()->first, " was saved")};
  for (const io::FolderEntry& entry : disk_->list("")) {
    std::string name = entry.name;
    for (std::string_view prefix : {checkpoint::kDamaged, checkpoint::kReplaced})
      if (name.starts_with(prefix)) name.erase(0, prefix.size());
    if (format_.find_step(name)) throw Violation{str("begins at 0 though there is ", entry.name)};
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
