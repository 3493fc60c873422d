// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/core/read_timeout.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "meshwright/base/error.h"
#include "meshwright/base/str.h"
#include "meshwright/io/pending_reads.h"

namespace meshwright::data {
namespace {

constexpr double kMostSecondsBetweenLooks = 0.5;

std::string described(const io::PendingRead& read) {
  return str("reading ", read.file, " at byte ", read.offset, " has taken ",
             std::llround(read.seconds), " seconds");
}

}  // namespace

std::string slow_read_text(double seconds) {
  const std::optional<io::PendingRead> read = io::find_longest_read();
  return read && read->seconds >= seconds ? "; " + described(*read) : "";
}

void wait_for_reads(double timeout_seconds,
                    const std::function<bool(double seconds)>& is_ready_within) {
  const double pause = std::min(kMostSecondsBetweenLooks, timeout_seconds / 4);
  while (!is_ready_within(pause)) {
    const std::optional<io::PendingRead> read = io::find_longest_read();
    if (!read || read->seconds <= timeout_seconds) continue;
    fail(ErrorCode::unavailable, "data: ", described(*read),
         "\ncheck the disk or network that holds the file, or increase "
         "data.read_timeout_seconds");
  }
}

}  // namespace meshwright::data
