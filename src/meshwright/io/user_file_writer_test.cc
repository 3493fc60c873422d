// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/user_file_writer.h"

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/base/temporary_folder_testutil.h"
#include "meshwright/io/buffer.h"

namespace meshwright::io {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

ErrorCode code_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::internal;
}

TEST(UserFileWriter, HasItsNameOnlyWhenPublished) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "tokens.bin";
  UserFileWriter out(path.string());
  out.append(as_bytes("????, "));
  out.append(as_bytes(std::string(3 << 20, 'x')));
  out.overwrite(0, as_bytes("head"));
  out.append(as_bytes("end"));
  EXPECT_EQ(out.num_bytes(), (3u << 20) + 9);
  EXPECT_FALSE(fs::exists(path));
  out.publish();
  EXPECT_EQ(content(path), "head, " + std::string(3 << 20, 'x') + "end");
  EXPECT_FALSE(fs::exists(path.string() + ".partial"));
}

TEST(UserFileWriter, LeavesNothingIfItIsNotPublished) {
  const TemporaryFolder folder;
  std::optional<UserFileWriter> out((folder.path() / "tokens.bin").string());
  out->append(as_bytes("bytes"));
  out.reset();
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(UserFileWriter, ReplacesNoFile) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "tokens.bin").string();
  UserFileWriter late(path);
  UserFileWriter(path).publish();
  EXPECT_EQ(code_of([&] { UserFileWriter again(path); }), ErrorCode::already_exists);
  EXPECT_EQ(code_of([&] { late.publish(); }), ErrorCode::already_exists);
}

TEST(UserFileWriter, NeedsAFolder) {
  EXPECT_EQ(code_of([] { UserFileWriter out("/nonexistent/tokens.bin"); }), ErrorCode::not_found);
}

}  // namespace
}  // namespace meshwright::io
