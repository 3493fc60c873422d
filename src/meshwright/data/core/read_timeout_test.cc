// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/core/read_timeout.h"

#include <semaphore>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/io/pending_reads.h"

namespace meshwright::data {
namespace {

TEST(ReadTimeout, PassesResultsAndErrorsOn) {
  EXPECT_EQ(with_read_timeout<int>(1, [] { return 7; }), 7);
  EXPECT_EQ(message_of([] {
              with_read_timeout<int>(1, []() -> int { fail(ErrorCode::data_loss, "bad"); });
            }),
            "bad");
}

TEST(ReadTimeout, NamesTheFileThatHangs) {
  static const std::string file = "corpus.txt";
  auto gate = std::make_shared<std::binary_semaphore>(0);
  auto has_ended = std::make_shared<std::binary_semaphore>(0);
  const Error error = thrown_by([&] {
    with_read_timeout<int>(0.02, [gate, has_ended] {
      {
        const io::ReadInProgress reading(file, 4096);
        gate->acquire();
      }
      has_ended->release();
      return 0;
    });
  });
  EXPECT_EQ(error.code(), ErrorCode::unavailable);
  EXPECT_THAT(error.what(), testing::HasSubstr("data: reading corpus.txt at byte 4096 has taken"));
  EXPECT_THAT(error.what(), testing::HasSubstr("increase data.read_timeout_seconds"));
  EXPECT_THAT(slow_read_text(0.01), testing::HasSubstr("; reading corpus.txt at byte 4096"));
  gate->release();
  has_ended->acquire();
  EXPECT_EQ(slow_read_text(0), "");
}

// Computing for a long time is no reason to give up.
TEST(ReadTimeout, CountsOnlyReads) {
  EXPECT_EQ(with_read_timeout<int>(0.005,
                                   [] {
                                     std::this_thread::sleep_for(std::chrono::milliseconds(30));
                                     return 7;
                                   }),
            7);
}

}  // namespace
}  // namespace meshwright::data
