// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/codecs/chain.h"

#include <algorithm>

#include "meshwright/base/error.h"

namespace meshwright::io {
namespace {

// Returns the sizes before the first codec, between codecs, and after the last one.
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

std::uint64_t max_decoded_bytes(const CodecChain& chain, std::uint64_t num_stored) {
  for (std::size_t i = chain.size(); i-- > 0;)
    num_stored = chain[i]->max_decoded_bytes(num_stored);
  return num_stored;
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

void decode_into(const CodecChain& chain,
                 std::span<const std::byte> stored,
                 std::span<std::byte> out) {
  std::vector<std::optional<std::uint64_t>> wanted = sizes(chain, out.size());
  Buffer between;
  for (std::size_t i = chain.size(); i-- > 1;) {
    // After a compressor, the size follows only from what comes later in the chain.
    std::uint64_t overhead = chain[i]->overhead().value_or(0);
    if (!wanted[i]) wanted[i] = stored.size() - std::min<std::uint64_t>(stored.size(), overhead);
    between = chain[i]->decode(stored, *wanted[i]);
    stored = between.span();
  }
  if (!chain.empty()) return chain[0]->decode_into(stored, out);
  if (stored.size() != out.size()) fail_size("chunk", out.size(), stored.size());
  std::ranges::copy(stored, out.begin());
}

Buffer decode(const CodecChain& chain, Buffer stored) {
  for (std::size_t i = chain.size(); i-- > 0;) {
    std::uint64_t overhead = chain[i]->overhead().value_or(0);
    std::uint64_t num_bytes = stored.size() - std::min<std::uint64_t>(stored.size(), overhead);
    stored = chain[i]->decode(stored.span(), num_bytes);
  }
  return stored;
}

}  // namespace meshwright::io
