// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/codecs/codec.h"

#include "meshwright/base/error.h"

namespace meshwright::io {

void fail_damaged(std::string_view codec, std::string_view what) {
  fail(ErrorCode::data_loss, codec, ": damaged: ", what);
}

void fail_size(std::string_view codec, std::uint64_t wanted, std::uint64_t found) {
  fail(ErrorCode::data_loss, codec, ": holds ", found, " bytes and not the ", wanted, " it should");
}

}  // namespace meshwright::io
