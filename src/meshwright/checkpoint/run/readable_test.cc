// SPDX-License-Identifier: Apache-2.0
// Complete steps that were damaged later: no rule counts them, and none makes a run start at step
// 0.
#include "meshwright/checkpoint/run/readable.h"

#include <cstdio>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/crc32c.h"
#include "meshwright/base/error.h"
#include "meshwright/base/log.h"
#include "meshwright/checkpoint/checkpoint_testutil.h"
#include "meshwright/checkpoint/crash_testutil.h"
#include "meshwright/checkpoint/damage_testutil.h"
#include "meshwright/checkpoint/format/pins.h"
#include "meshwright/checkpoint/format/step_folders.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/checkpoint/run/locate.h"
#include "meshwright/checkpoint/run/recover.h"
#include "meshwright/checkpoint/run/steps.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"
#include "meshwright/io/memory_file_system.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Returns the manifest with a valid checksum and version, as a later release might write it.
std::string sealed_as_version_2(const std::string& manifest) {
  const std::string key = "\"meshwright_checkpoint\":";
  std::string text = manifest.substr(0, manifest.rfind(",\"crc32c\""));
  text[text.find(key) + key.size()] = '2';
  char crc[16];
  std::snprintf(crc, sizeof(crc), "%08x", crc32c(text));
  return str(text, ",\"crc32c\":\"", crc, "\"}\n");
}

void put(io::FileSystem& disk, const std::string& file, const std::string& content) {
  disk.make_folder(io::parent_of(file));
  io::write_text(disk, file, content);
}

class Readable : public testing::TestWithParam<std::string> {
 protected:
  using Disk = std::shared_ptr<io::MemoryFileSystem>;

  Disk disk_with(const std::vector<std::int64_t>& steps) const {
    auto out = std::make_shared<io::MemoryFileSystem>();
    for (const std::int64_t step : steps)
      write_checkpoint(format, out, "", contents_of(step, step), {}, 1);
    return out;
  }
  ManagerOptions options(const Disk& disk, std::optional<std::int64_t> keep_last_n = {}) const {
    return {.folder = "memory",
            .format = GetParam(),
            .retention = {.keep_last_n = keep_last_n},
            .files = disk};
  }
  void save(const Disk& disk, std::int64_t step, std::int64_t keep_last_n) const {
    Manager manager(options(disk, keep_last_n));
    manager.save(contents_of(step, step));
    manager.finish();
  }
  std::vector<std::int64_t> readable(const Disk& disk) const {
    std::vector<std::int64_t> out;
    for (const CheckpointEntry& entry : list_steps(format, disk, ""))
      if (!find_flaw(format, disk, entry)) out.push_back(entry.step);
    return out;
  }
  std::string folder(std::int64_t step) const { return format.step_name(step); }

  const Format& format = format_named(GetParam());
  std::string log;
  ScopedLogHandler handler{[this](Severity, std::string_view text) { log += text; }};
};

TEST_P(Readable, AnyHarmIsAFallBackToTheOlderStepAndALineSaysSo) {
  const Disk whole = disk_with({1, 2});
  for (const CheckpointDamage& damage : visible_damage(*whole, folder(2))) {
    SCOPED_TRACE(damage.name);
    const Disk disk = whole->copy();
    damage.apply(*disk);
    log.clear();
    ASSERT_EQ(Manager(options(disk)).restore_newest()->step, 1);
    EXPECT_THAT(log, HasSubstr("step 2 is damaged"));
    EXPECT_TRUE(disk->find("damaged-" + folder(2)));
    save(disk, 2, 9);  // the name is free again
    EXPECT_THAT(readable(disk), ElementsAre(1, 2));
  }
}

TEST_P(Readable, WhereNothingElseIsLeftNobodyBeginsAnew) {
  const Disk whole = disk_with({2});
  for (const CheckpointDamage& damage : visible_damage(*whole, folder(2))) {
    SCOPED_TRACE(damage.name);
    const Disk disk = whole->copy();
    damage.apply(*disk);
    const std::string before = disk->image();
    for (int attempt = 0; attempt < 2; ++attempt) {
      const Error error = thrown_by([&] { Manager(options(disk)).restore_newest(); });
      EXPECT_EQ(error.code(), ErrorCode::no_checkpoint) << error.what();
    }
    EXPECT_EQ(disk->image(), before) << "the file may still be repaired";
  }
}

// Elements of arrays are checked when they are read.
TEST_P(Readable, NoFileButThoseOfArraysMayChangeByABit) {
  const Disk whole = disk_with({1, 2});
  int num_files = 0;
  for (const std::string& file : whole->files()) {
    if (io::parent_of(file) != folder(2)) continue;
    ++num_files;
    const Disk disk = whole->copy();
    disk->content(file)[disk->content(file).size() / 2] ^= 1;
    EXPECT_THAT(readable(disk), ElementsAre(1)) << file;
    EXPECT_EQ(Manager(options(disk)).restore_newest()->step, 1) << file;
  }
  EXPECT_GE(num_files, 3);
}

TEST_P(Readable, VerifyReportsALostMarker) {
  const Disk disk = disk_with({1});
  for (const char* marker : {"index", ".zattrs"}) {
    const std::string file = folder(1) + "/" + marker;
    if (!disk->find(file)) continue;
    disk->remove(file);
    EXPECT_TRUE(format.is_committed(disk, folder(1)));
    EXPECT_TRUE(format.is_here(disk, folder(1)));
    const std::vector<Damage> found = format.verify(disk, folder(1));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_THAT(found[0].file, HasSubstr(marker));
  }
}

TEST_P(Readable, RulesCountNoStepThatCannotBeRead) {
  const Disk whole = disk_with({1, 2, 3});
  for (const CheckpointDamage& damage : visible_damage(*whole, folder(3))) {
    SCOPED_TRACE(damage.name);
    const Disk disk = whole->copy();
    damage.apply(*disk);
    Collector collector(format, disk, "", {.keep_last_n = 2});
    const Collector::Found found = collector.find();
    EXPECT_THAT(found.to_remove, IsEmpty());
    ASSERT_EQ(found.flaws.size(), 1u);
    EXPECT_EQ(found.flaws[0].step.step, 3);
    EXPECT_TRUE(found.flaws[0].is_damage);
    save(disk, 4, 2);
    EXPECT_THAT(readable(disk), ElementsAre(2, 4));
    EXPECT_TRUE(disk->find(folder(3))) << "must be removed only on request";
  }
}

TEST_P(Readable, AFolderThatIsNoStepCostsNoGoodOne) {
  const std::int64_t last = 99'999'999;
  const Disk disk = disk_with({1, 2});
  disk->make_folder(folder(last));
  save(disk, 3, 1);
  EXPECT_THAT(readable(disk), ElementsAre(3));
  save(disk, 4, 2);
  EXPECT_THAT(readable(disk), ElementsAre(3, 4));
  EXPECT_EQ(Manager(options(disk)).restore_newest()->step, 4);
}

// A step that a rule relies on may be damaged while the run continues, which saw it intact before.
TEST_P(Readable, ARuleReliesOnNoStepThatWasHarmedMeanwhile) {
  const Disk disk = disk_with({});
  ManagerOptions rules = options(disk, 1);
  rules.retention.keep_every_n_steps = 10;
  Manager manager(rules);
  auto save_next = [&](std::int64_t step) {
    manager.save(contents_of(step, step));
    manager.finish();
  };
  save_next(1);
  save_next(5);
  EXPECT_THAT(readable(disk), ElementsAre(1, 5));
  io::remove_tree(*disk, folder(1) + "/meshwright.json");
  disk->put_other(folder(1) + "/meshwright.json");
  save_next(6);
  EXPECT_THAT(readable(disk), ElementsAre(5, 6)) << "5 now represents its interval";
}

TEST_P(Readable, ARunRemovesOnlyItsOwnSteps) {
  const Disk disk = disk_with({1});  // of a version that wrote no id
  auto save_as = [&](const char* run, std::int64_t step) {
    ManagerOptions as = options(disk, 1);
    as.run_id = run;
    Manager manager(as);
    manager.save(contents_of(step, step));
    manager.finish();
  };
  save_as("a", 5);
  EXPECT_THAT(readable(disk), ElementsAre(5));
  save_as("b", 3);
  save_as("b", 4);
  EXPECT_THAT(readable(disk), ElementsAre(4, 5)) << "neither removed nor counted";
  EXPECT_EQ(format.open(disk, folder(5)).run, "a");
}

TEST_P(Readable, AStepOfAnotherRunIsSetAsideWhereOneIsSaved) {
  const Disk disk = disk_with({});
  auto save_as = [&](const char* run, std::int64_t seed) {
    ManagerOptions as = options(disk);
    as.run_id = run;
    Manager manager(as);
    manager.save(contents_of(1, seed));
    manager.finish();
  };
  save_as("a", 1);
  save_as("a", 2);
  EXPECT_EQ(disk->list("").size(), 1u) << "its own is replaced";
  save_as("b", 3);
  EXPECT_EQ(format.open(disk, folder(1)).run, "b");
  EXPECT_EQ(digest(read_contents(format.open(disk, "abandoned-" + folder(1)))),
            digest(contents_of(1, 2)));
}

TEST_P(Readable, GoingBackRemovesOnlyWhatIsItsOwn) {
  const Disk disk = disk_with({1, 2, 3, 4, 5});
  ManagerOptions as = options(disk);
  as.run_id = "a";
  {
    ManagerOptions other = as;
    other.run_id = "b";
    Manager manager(other);
    manager.save(contents_of(6, 6));
    manager.finish();
  }
  disk->content(folder(3) + "/meshwright.json").pop_back();
  pin(*disk, folder(4));
  Manager(as).remove_after(1);
  EXPECT_THAT(readable(disk), ElementsAre(1));
  for (const std::string& stays :
       {"damaged-" + folder(3), "abandoned-" + folder(4), "abandoned-" + folder(6)})
    EXPECT_TRUE(disk->find(stays)) << stays;
  EXPECT_EQ(disk->list("").size(), 4u);
}

// A program older than the checkpoint must not overwrite later results.
TEST_P(Readable, WhatALaterVersionWroteIsNotPassedOver) {
  const Disk disk = disk_with({1, 2});
  std::string& text = disk->content(folder(2) + "/meshwright.json");
  text = sealed_as_version_2(text);
  const std::string before = disk->image();
  const Error error = thrown_by([&] { Manager(options(disk)).restore_newest(); });
  EXPECT_EQ(error.code(), ErrorCode::no_checkpoint);
  EXPECT_THAT(error.what(), HasSubstr("has version 2"));
  EXPECT_EQ(disk->image(), before);
}

TEST_P(Readable, ARunBeginsAtZeroOnlyWithoutATrace) {
  const Disk disk = std::make_shared<io::MemoryFileSystem>();
  disk->make_folder(with_prefix(kUnfinished, folder(7)));
  disk->put_other(with_prefix(kUnfinished, folder(8)));  // a link that was being removed
  disk->make_folder("notes");
  EXPECT_FALSE(Manager(options(disk)).restore_newest());
  EXPECT_THAT(log, HasSubstr(with_prefix(kUnfinished, folder(7))));
  EXPECT_FALSE(disk->find(with_prefix(kUnfinished, folder(7))));
  EXPECT_FALSE(disk->find(with_prefix(kUnfinished, folder(8))));
  for (const char* prefix : {"", "damaged-", "replaced-", "abandoned-"}) {
    const Disk other = disk->copy();
    other->make_folder(prefix + folder(7));
    EXPECT_THROW(Manager(options(other)).restore_newest(), Error) << prefix;
    EXPECT_TRUE(other->find(prefix + folder(7))) << prefix;
  }
  const Disk renamed = disk_with({7});
  renamed->rename(folder(7), "backup");
  EXPECT_THROW(Manager(options(renamed)).restore_newest(), Error);
  // Each file shows what the folder was, except the note for users.
  for (const std::string& file : renamed->files()) {
    if (io::parent_of(file) != "backup" || file.ends_with("/meshwright.txt")) continue;
    const Disk other = disk->copy();
    put(*other, file, renamed->content(file));
    EXPECT_THROW(Manager(options(other)).restore_newest(), Error) << file;
  }
}

TEST_P(Readable, AStepMovedOutOfTheCheckpointsIsFoundInTheRun) {
  const Disk none = std::make_shared<io::MemoryFileSystem>();
  for (const char* folder : {"checkpoints", "earlier.1/checkpoints", "summaries"})
    none->make_folder(folder);
  none->make_folder("checkpoints/" + folder(1));
  EXPECT_EQ(find_trace_elsewhere(none, "checkpoints"), std::nullopt);
  for (const std::string& place : {std::string(), std::string("checkpoints_old"), folder(3)}) {
    const Disk disk = none->copy();
    write_checkpoint(format, disk, place, contents_of(3, 3), {}, 1);
    EXPECT_TRUE(find_trace_elsewhere(disk, "checkpoints")) << place;
  }
}

TEST_P(Readable, WhatAnotherRunLeftUnfinishedIsNotRemoved) {
  const Disk disk = disk_with({});
  ManagerOptions as = options(disk);
  as.run_id = "a";
  {
    Manager manager(as);
    manager.save(contents_of(2, 2));
    manager.finish();
  }
  for (const std::string& name :
       {with_prefix(kUnfinished, folder(2)), with_prefix(kUnfinished, "replaced-" + folder(2))}) {
    const Disk of_a = disk->copy();
    of_a->rename(folder(2), name);
    const Disk of_b = of_a->copy();
    recover(format, of_a, "", "a");
    EXPECT_THAT(of_a->list(""), IsEmpty()) << name;
    recover(format, of_b, "", "b");
    EXPECT_EQ(digest(read_contents(format.open(of_b, "abandoned-" + folder(2)))),
              digest(contents_of(2, 2)))
        << name;
  }
}

TEST_P(Readable, AStrayEntryMakesItNoRunOfAnotherFormat) {
  for (const Format* other : formats()) {
    if (other == &format) continue;
    const Disk foreign = std::make_shared<io::MemoryFileSystem>();
    write_checkpoint(*other, foreign, "", contents_of(9, 9), {}, 1);
    for (const std::string& file : foreign->files()) {
      // Half a step of that system, and the same file in an intact step of Meshwright.
      for (const std::string& into : {other->step_name(9), folder(2)}) {
        SCOPED_TRACE(str(file, " in ", into));
        const Disk disk = disk_with({1, 2});
        const std::string stray = into + file.substr(file.find('/'));
        if (disk->find(stray)) continue;
        put(*disk, stray, foreign->content(file));
        EXPECT_EQ(find_format_of_run(disk, ""), &format);
        EXPECT_EQ(Manager(options(disk)).restore_newest()->step, 2);
      }
    }
  }
}

TEST_P(Readable, AWholeStepOfAnotherFormatIsNeitherPassedOverNorWrittenBeside) {
  for (const Format* other : formats()) {
    if (other == &format) continue;
    const Disk disk = disk_with({1, 2});
    write_checkpoint(*other, disk, "", contents_of(9, 9), {}, 1);
    EXPECT_EQ(find_format_of_run(disk, ""), other);
    for (const bool has_ours : {true, false}) {
      if (!has_ours) {
        for (const std::int64_t step : {1, 2})
          format.remove(disk, folder(step));
      }
      const std::string before = disk->image();
      const Error error = thrown_by([&] { const Manager manager(options(disk)); });
      EXPECT_EQ(error.code(), has_ours ? ErrorCode::no_checkpoint : ErrorCode::invalid_argument);
      EXPECT_THAT(error.what(), HasSubstr(str("checkpoint.format = ", other->name())));
      EXPECT_THAT(error.what(), HasSubstr(has_ours ? folder(2) : other->step_name(9)));
      EXPECT_EQ(disk->image(), before);
    }
    const Disk newer = disk_with({10});
    write_checkpoint(*other, newer, "", contents_of(9, 9), {}, 1);
    EXPECT_EQ(Manager(options(newer)).restore_newest()->step, 10) << other->name();
  }
}

TEST_P(Readable, TheLossOfTheStepBeforeIsTold) {
  const Disk disk = disk_with({});
  Manager manager(options(disk, 2));
  auto save_next = [&](std::int64_t step) {
    manager.save(contents_of(step, step));
    manager.finish();
  };
  save_next(1);
  save_next(2);
  save_next(3);
  EXPECT_EQ(log, "");
  disk->rename(folder(3), "elsewhere");
  save_next(4);
  EXPECT_THAT(log, HasSubstr("the checkpoint of step 3, which this run saved, is gone"));
}

TEST_P(Readable, WhatOthersCalledReplacedStays) {
  const Disk disk = disk_with({1});
  disk->make_folder("replaced-" + folder(1));
  io::write_text(*disk, "replaced-" + folder(1) + "/notes", "mine");
  recover(format, disk, "");
  save(disk, 1, 3);
  EXPECT_THAT(readable(disk), ElementsAre(1));
  bool is_there = false;
  for (const std::string& file : disk->files())
    is_there = is_there || (file.ends_with("/notes") && disk->content(file) == "mine");
  EXPECT_TRUE(is_there);
}

TEST_P(Readable, AnotherSystemsStepIsSetAsideInsteadOfRemoved) {
  if (format.name() == "native") return;
  const Disk disk = disk_with({1});
  make_foreign(*disk, folder(1));
  save(disk, 1, 3);
  EXPECT_THAT(readable(disk), ElementsAre(1));
  EXPECT_TRUE(format.is_committed(disk, "abandoned-" + folder(1)));
}

TEST_P(Readable, WhatIsSetAsideRemovesNothingBefore) {
  const Disk disk = disk_with({1, 2});
  for (int n = 0; n < 3; ++n) {
    disk->remove(folder(2) + "/meshwright.json");
    disk->make_folder(folder(2) + "/meshwright.json");
    EXPECT_EQ(Manager(options(disk)).restore_newest()->step, 1);
    save(disk, 2, 9);
  }
  for (const char* end : {"", ".2", ".3"})
    EXPECT_TRUE(disk->find(str("damaged-", folder(2), end))) << end;
  EXPECT_EQ(list_set_aside(format, disk, "").size(), 3u);
}

INSTANTIATE_TEST_SUITE_P(Formats,
                         Readable,
                         testing::ValuesIn(format_names()),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace meshwright::checkpoint
