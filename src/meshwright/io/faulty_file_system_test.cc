// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/faulty_file_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/io/io_testutil.h"
#include "meshwright/io/memory_file_system.h"

namespace meshwright::io {
namespace {

using testing::ElementsAre;

void save(FileSystem& files) {
  files.make_folder("new");
  write_text(files, "new/a", "hello", Durability::synced);
  files.sync_folder("new");
  files.rename("new", "final");
  files.sync_folder("");
}

TEST(FaultyFileSystem, CountsCallsThatChangeSomething) {
  std::vector<std::string> calls;
  auto note = [&](const FileCall& call) { calls.emplace_back(call_name(call.kind)); };
  FaultyFileSystem files(std::make_shared<MemoryFileSystem>(),
                         {.before = note, .shorten = {}, .damage = {}});
  save(files);
  EXPECT_THAT(calls, ElementsAre("make_folder", "create", "append", "sync", "close", "sync_folder",
                                 "rename", "sync_folder"));
  EXPECT_EQ(files.num_changing_calls(), 8);
  read_text(files, "final/a");
  EXPECT_EQ(files.num_changing_calls(), 8);
}

TEST(FaultyFileSystem, FailsAtEveryCallInTurn) {
  for (std::size_t n = 1; n <= 8; ++n) {
    FaultyFileSystem files(std::make_shared<MemoryFileSystem>(),
                           fail_at(n, ErrorCode::unavailable));
    EXPECT_EQ(code_of([&] { save(files); }), ErrorCode::unavailable) << n;
    EXPECT_EQ(files.num_changing_calls(), n);
  }
}

TEST(FaultyFileSystem, FailsOnceOrForEver) {
  FaultyFileSystem once(std::make_shared<MemoryFileSystem>(), fail_at(1, ErrorCode::unavailable));
  EXPECT_EQ(code_of([&] { once.make_folder("a"); }), ErrorCode::unavailable);
  EXPECT_EQ(code_of([&] { once.make_folder("a"); }), std::nullopt);
  FaultyFileSystem always(std::make_shared<MemoryFileSystem>(),
                          fail_at(1, ErrorCode::resource_exhausted, /*for_ever=*/true));
  EXPECT_EQ(code_of([&] { always.make_folder("a"); }), ErrorCode::resource_exhausted);
  EXPECT_EQ(code_of([&] { always.make_folder("a"); }), ErrorCode::resource_exhausted);
}

TEST(FaultyFileSystem, WritesInShortPieces) {
  auto memory = std::make_shared<MemoryFileSystem>();
  auto one_byte = [](const FileCall&, std::size_t) -> std::size_t { return 1; };
  FaultyFileSystem files(memory, {.before = {}, .shorten = one_byte, .damage = {}});
  write_text(files, "a", "hello");
  EXPECT_EQ(read_text(*memory, "a"), "hello");
  EXPECT_EQ(files.num_changing_calls(), 1 + 5 + 1);
}

TEST(FaultyFileSystem, DamagesWhatIsRead) {
  auto flip = [](const FileCall&, std::span<std::byte> bytes) { bytes[0] ^= std::byte{1}; };
  FaultyFileSystem files(std::make_shared<MemoryFileSystem>(),
                         {.before = {}, .shorten = {}, .damage = flip});
  write_text(files, "a", "hello");
  EXPECT_EQ(read_text(files, "a"), "iello");
}

}  // namespace
}  // namespace meshwright::io
