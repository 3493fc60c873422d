// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/memory_file_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/io/io_testutil.h"

namespace meshwright::io {
namespace {

using testing::ElementsAre;

std::size_t everything(std::size_t num) {
  return num;
}

TEST(LosePower, TakesBytesThatWereNotSynced) {
  MemoryFileSystem files;
  auto file = files.create("a");
  file->append(as_bytes("safe"));
  file->sync();
  file->append(as_bytes(" not"));
  files.sync_folder("");
  files.lose_power();
  EXPECT_EQ(read_text(files, "a"), "safe");
}

TEST(LosePower, TakesNamesThatWereNotSynced) {
  MemoryFileSystem files;
  write_text(files, "a", "x", Durability::synced);
  files.lose_power();
  EXPECT_THAT(files.files(), ElementsAre());
}

TEST(LosePower, MayLeaveEverything) {
  MemoryFileSystem files;
  files.make_folder("new");
  write_text(files, "new/a", "x");
  files.rename("new", "final");
  files.lose_power(everything);
  EXPECT_EQ(read_text(files, "final/a"), "x");
}

TEST(LosePower, MayTakeTheBytesAndLeaveTheName) {
  MemoryFileSystem files;
  write_text(files, "a", "hello");
  files.sync_folder("");
  files.lose_power();
  EXPECT_EQ(read_text(files, "a"), "");
}

TEST(LosePower, UndoesARenameThatWasNotSynced) {
  MemoryFileSystem files;
  files.make_folder("new");
  files.sync_folder("");
  write_text(files, "new/a", "x", Durability::synced);
  files.sync_folder("new");
  files.rename("new", "final");
  files.lose_power();
  EXPECT_EQ(read_text(files, "new/a"), "x");
  EXPECT_EQ(files.find("final"), std::nullopt);
}

TEST(LosePower, KeepsASyncedRename) {
  MemoryFileSystem files;
  write_text(files, "a", "x", Durability::synced);
  files.sync_folder("");
  files.rename("a", "b");
  files.sync_folder("");
  files.lose_power();
  EXPECT_THAT(files.files(), ElementsAre("b"));
}

TEST(LosePower, NeverTearsAReplacedFile) {
  for (bool keeps_names : {false, true}) {
    MemoryFileSystem files;
    write_text(files, "a", "old", Durability::synced);
    files.sync_folder("");
    write_text(files, "a.new", "newer", Durability::synced);
    files.rename("a.new", "a");
    files.lose_power([&](std::size_t num) { return keeps_names ? num : 0; });
    EXPECT_EQ(read_text(files, "a"), keeps_names ? "newer" : "old");
  }
}

TEST(MemoryFileSystem, GivesTheBytesForDamage) {
  MemoryFileSystem files;
  write_text(files, "a", "hello");
  files.content("a")[0] = 'j';
  EXPECT_EQ(read_text(files, "a"), "jello");
  EXPECT_EQ(code_of([&] { files.content("b"); }), ErrorCode::not_found);
}

TEST(MemoryFileSystem, CopiesWhatIsSafeAndWhatIsNot) {
  MemoryFileSystem files;
  write_text(files, "a", "safe", Durability::synced);
  files.sync_folder("");
  write_text(files, "b", "synced, without a name yet", Durability::synced);
  auto copy = files.copy();
  EXPECT_EQ(copy->image(), files.image());
  write_text(*copy, "a", "other");
  EXPECT_EQ(read_text(files, "a"), "safe");
  EXPECT_NE(copy->image(), files.image());

  auto after = files.copy();
  after->lose_power();
  EXPECT_THAT(after->files(), ElementsAre("a"));
  EXPECT_EQ(read_text(*after, "a"), "safe");
  after = files.copy();
  after->sync_folder("");
  after->lose_power();
  EXPECT_EQ(after->image(), files.image());
}

TEST(MemoryFileSystem, TellsEveryDifferenceInItsImage) {
  auto image_of = [](const char* name, const char* text) {
    MemoryFileSystem files;
    write_text(files, name, text);
    return files.image();
  };
  EXPECT_EQ(image_of("a", "x"), image_of("a", "x"));
  EXPECT_NE(image_of("a", "x"), image_of("a", "y"));
  EXPECT_NE(image_of("a", "x"), image_of("b", "x"));
  MemoryFileSystem folder;
  folder.make_folder("a");
  EXPECT_NE(image_of("a", ""), folder.image());
}

}  // namespace
}  // namespace meshwright::io
