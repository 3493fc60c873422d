// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/program_bundle.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/crc32c.h"
#include "meshwright/base/temporary_folder_testutil.h"

namespace meshwright::runtime {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

ProgramBundle two_programs() {
  return {.topology = "h100:8",
          .target = {.platform = "cuda",
                     .device_kind = "NVIDIA H100 80GB HBM3",
                     .num_devices = 8,
                     .plugin_version = "cuda 13",
                     .plugin_digest = "0123",
                     .compiler_flags = "XLA_FLAGS=--xla_a=1\n",
                     .cpu_features = ""},
          .config = "max_step = 3\n",
          .programs = {{"step", "k1", std::string("\0machine", 8)}, {"init", "k2", "code"}}};
}

class ProgramBundleTest : public ::testing::Test {
 protected:
  std::string written() {
    write_bundle(path, two_programs());
    return file_text(path);
  }

  TemporaryFolder folder;
  const std::string path = folder.path() / "p.bundle";
};

TEST_F(ProgramBundleTest, ReadsWhatWasWritten) {
  write_bundle(path, two_programs());
  const ProgramBundle found = read_bundle(path);
  const ProgramBundle expected = two_programs();
  EXPECT_EQ(found.topology, expected.topology);
  EXPECT_EQ(found.config, expected.config);
  EXPECT_THAT(differences(found.target, expected.target), IsEmpty());
  EXPECT_EQ(found.target.plugin_version, expected.target.plugin_version);
  ASSERT_EQ(found.programs.size(), 2u);
  ASSERT_NE(found.find("k1"), nullptr);
  EXPECT_EQ(found.find("k1")->name, "step");
  EXPECT_EQ(found.find("k1")->executable, std::string("\0machine", 8));
  EXPECT_EQ(found.find("k2")->executable, "code");
  EXPECT_EQ(found.find("k3"), nullptr);
}

TEST_F(ProgramBundleTest, ReplacesNoFile) {
  write_bundle(path, two_programs());
  EXPECT_THAT(coded_message_of([&] { write_bundle(path, two_programs()); }),
              AllOf(StartsWith("already exists: "), HasSubstr("p.bundle")));
}

TEST_F(ProgramBundleTest, NoticesEveryMissingByte) {
  const std::string bytes = written();
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THAT(coded_message_of([&] { (void)parse_bundle(bytes.substr(0, size), path); }),
                AllOf(StartsWith("data loss: "), HasSubstr("p.bundle: ")));
  EXPECT_THAT(coded_message_of([&] { (void)parse_bundle(bytes + "x", path); }),
              AllOf(StartsWith("data loss: "), HasSubstr("1 bytes too many")));
}

TEST_F(ProgramBundleTest, NoticesEveryDamagedByte) {
  const std::string bytes = written();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    EXPECT_THAT(coded_message_of([&] { (void)parse_bundle(damaged, path); }),
                AllOf(StartsWith("data loss: "), HasSubstr("p.bundle: ")));
  }
}

// A header with correct checksums, as another version or an attacker may write it.
std::string with_header(const std::string& header) {
  std::string out(24, '\0');
  out.replace(0, 8, "MWBUNDLE");
  const std::uint64_t size = header.size();
  const std::uint32_t checksum = crc32c(header);
  std::memcpy(out.data() + 8, &size, sizeof(size));
  std::memcpy(out.data() + 16, &checksum, sizeof(checksum));
  return out + header;
}

TEST_F(ProgramBundleTest, RefusesAnotherFormatAndStrangeHeaders) {
  auto refuses = [&](const std::string& header, const char* why) {
    EXPECT_THAT(coded_message_of([&] { (void)parse_bundle(with_header(header), path); }),
                AllOf(StartsWith("data loss: "), HasSubstr(why)));
  };
  refuses(R"({"format": 2})", "has format 2");
  refuses("[]", "p.bundle");
  refuses("{", "p.bundle");
  refuses(R"({"format": 1})", "p.bundle: the header has no 'topology'");
  const std::string start =
      R"({"format":1,"topology":"","platform":"","device_kind":"","num_devices":1,)"
      R"("plugin_version":"","plugin_digest":"","compiler_flags":"","cpu_features":"",)"
      R"("config":"","programs":)";
  refuses(start + R"([{"name":"a","key":"b","num_bytes":-1,"crc32c":0}]})", "-1 bytes");
  refuses(start + R"([{"name":"a","key":"b","num_bytes":9000000000000000000,"crc32c":0}]})",
          "cut off");
  refuses(start + "{}}", "p.bundle: the header ");
}

TEST(BuildTarget, NamesEachDifference) {
  const BuildTarget theirs = two_programs().target;
  BuildTarget ours = theirs;
  ours.plugin_version = "another text for the same file";
  EXPECT_THAT(differences(theirs, ours), IsEmpty());
  ours.num_devices = 16;
  EXPECT_THAT(differences(theirs, ours), IsEmpty());
  ours.num_devices = 4;
  ours.device_kind = "NVIDIA H200";
  ours.plugin_digest = "4567";
  ours.compiler_flags = "";
  EXPECT_THAT(
      differences(theirs, ours),
      ElementsAre("device: compiled for NVIDIA H100 80GB HBM3, here NVIDIA H200",
                  "devices: compiled for 8, here are 4",
                  "plugin: compiled for cuda 13 (digest 0123), here another text for the same "
                  "file (digest 4567)",
                  "compiler flags: compiled for XLA_FLAGS=--xla_a=1, here none"));
  ours.platform = "cpu";
  EXPECT_THAT(differences(theirs, ours).front(), HasSubstr("platform"));
}

}  // namespace
}  // namespace meshwright::runtime
