// SPDX-License-Identifier: Apache-2.0
// Flips each bit of a native checkpoint of 64 KiB in turn: the flip is detected, or does not change
// the loaded values.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/checkpoint/checkpoint_testutil.h"
#include "meshwright/checkpoint/format/format.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/save/pending_checkpoint.h"
#include "meshwright/io/memory_file_system.h"

namespace meshwright::checkpoint {
namespace {

constexpr const char* kStep = "step_00000001";

Contents contents() {
  Contents out = sample_contents(1);
  ArrayType type{f32, {120, 128}};
  ArrayParts large{type, {{whole_ranges(type.dims), HostTensor(type)}}};
  for (std::size_t i = 0; i < large.parts[0].value.num_bytes(); ++i)
    large.parts[0].value.mutable_data()[i] = static_cast<std::byte>(i * 7 + i / 256);
  out.arrays["model/embedding"] = large;
  return out;
}

// Returns a digest of the restored contents; "refused" if restoring fails.
std::string restored(const Format& format, const Files& files) {
  try {
    return digest(read_contents(format.open(files, kStep), {.max_threads = 1}));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::data_loss) << error.what();
    return "refused";
  }
}

TEST(BitFlips, AreFoundOrHarmless) {
  const Format& format = format_named("native");
  auto files = std::make_shared<io::MemoryFileSystem>();
  write_checkpoint(format, files, "", contents(), {.max_chunk_bytes = 4096});
  const std::string good = restored(format, files);
  ASSERT_EQ(good, digest(contents()));
  std::size_t num_bytes = 0, num_harmless = 0;
  for (const std::string& name : files->files()) {
    std::string& bytes = files->content(name);
    num_bytes += bytes.size();
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      char& byte = bytes[bit / 8];
      byte = static_cast<char>(byte ^ (1 << (bit % 8)));
      std::string found = restored(format, files);
      if (found == good) ++num_harmless;
      ASSERT_TRUE(found == good || found == "refused") << name << " bit " << bit;
      byte = static_cast<char>(byte ^ (1 << (bit % 8)));
    }
  }
  EXPECT_GE(num_bytes, 64u << 10);
  // Only in files that Orbax reads and Meshwright does not.
  EXPECT_LT(num_harmless, 8 * 4096u);
}

}  // namespace
}  // namespace meshwright::checkpoint
