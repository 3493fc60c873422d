// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/codecs/chain.h"

#include <algorithm>

#include "meshwright/base/error.h"

namespace meshwright::io {
namespace {

// Before the first codec, between two of them, and after the last.
std::vector<std::optional<std::uint64_t>> sizes(const CodecChain& chain,
                                                std::optional<std::uint64_t> num_bytes) {
  std::vector<std::optional<std::uint64_t>> out = {num_bytes};
  for (const CodecPtr& codec : chain) {
    std::optional<std::uint64_t> more = codec->overhead();
    bool is_known = out.back() && more;
    out.push_back(is_known ? std::optional(*out.back() + *more) : std::nullopt);
  }
  return out;
}

}  // namespace

std::optional<std::uint64_t> encoded_size(const CodecChain& chain, std::uint64_t num_bytes) {
  return sizes(chain, num_bytes).back();
}

void check_chain(const CodecChain& chain) {
  auto is_compressor = [](const CodecPtr& codec) { return !codec->overhead(); };
  if (std::ranges::count_if(chain, is_compressor) > 1) {
    fail(ErrorCode::unimplemented, "two compressors for one array are not supported");
  }
}

Buffer encode(const CodecChain& chain, std::span<const std::byte> bytes) {
  Buffer out;
  for (const CodecPtr& codec : chain) {
    out = codec->encode(bytes);
    bytes = out.span();
  }
  if (chain.empty()) {
    out = Buffer(bytes.size());
    std::ranges::copy(bytes, out.data());
  }
  return out;
}

Buffer decode(const CodecChain& chain, Buffer stored, std::optional<std::uint64_t> num_bytes) {
  std::vector<std::optional<std::uint64_t>> wanted = sizes(chain, num_bytes);
  for (std::size_t i = chain.size(); i-- > 0;) {
    std::optional<std::uint64_t> size = wanted[i];
    std::uint64_t overhead = chain[i]->overhead().value_or(0);
    if (!size) size = stored.size() - std::min<std::uint64_t>(stored.size(), overhead);
    stored = chain[i]->decode(stored.span(), *size);
  }
  if (num_bytes && stored.size() != *num_bytes) fail_size("chunk", *num_bytes, stored.size());
  return stored;
}

}  // namespace meshwright::io
