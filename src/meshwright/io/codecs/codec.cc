// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/codecs/codec.h"

#include "meshwright/base/error.h"

namespace meshwright::io {

std::uint64_t times_at_most(std::uint64_t a, std::uint64_t b) {
  std::uint64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? UINT64_MAX : out;
}

void fail_damaged(std::string_view codec, std::string_view what) {
  fail(ErrorCode::data_loss, codec, ": damaged: ", what);
}

void fail_size(std::string_view codec, std::uint64_t wanted, std::uint64_t found) {
  fail(ErrorCode::data_loss, codec, ": has ", found, " bytes, expected ", wanted);
}

}  // namespace meshwright::io
