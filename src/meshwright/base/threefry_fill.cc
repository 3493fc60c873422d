// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "meshwright/base/threefry.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "meshwright/base/threefry_fill.cc"
// The order matters: foreach_target.h must come first.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace meshwright::threefry {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<std::uint32_t>;
using Vector = hn::Vec<Tag>;

struct Blocks {
  Vector high, low;
};

class Hash {
 public:
  explicit Hash(KeyWords key) : schedule_{key[0], key[1], key[0] ^ key[1] ^ kParity} {}

  /// Hashes counters that share their high word.
  HWY_INLINE Blocks operator()(std::uint32_t high, Vector low) const {
    const Tag d;
    Blocks x = {hn::Set(d, high + schedule_[0]), hn::Add(low, hn::Set(d, schedule_[1]))};
    rounds<0>(x);
    add_key<1>(x);
    rounds<1>(x);
    add_key<2>(x);
    rounds<0>(x);
    add_key<3>(x);
    rounds<1>(x);
    add_key<4>(x);
    rounds<0>(x);
    add_key<5>(x);
    return x;
  }

 private:
  template <int kGroup>
  static HWY_INLINE void rounds(Blocks& x) {
    round<kRotations[kGroup][0]>(x);
    round<kRotations[kGroup][1]>(x);
    round<kRotations[kGroup][2]>(x);
    round<kRotations[kGroup][3]>(x);
  }
  template <int kLeft>
  static HWY_INLINE void round(Blocks& x) {
    x.high = hn::Add(x.high, x.low);
    x.low = hn::Xor(hn::RotateRight<32 - kLeft>(x.low), x.high);
  }
  template <std::uint32_t kTimes>
  HWY_INLINE void add_key(Blocks& x) const {
    const Tag d;
    x.high = hn::Add(x.high, hn::Set(d, schedule_[kTimes % 3]));
    x.low = hn::Add(x.low, hn::Set(d, schedule_[(kTimes + 1) % 3] + kTimes));
  }

  std::uint32_t schedule_[3];
};

HWY_INLINE void store(const Blocks& x, std::uint32_t* out) {
  hn::StoreU(hn::Xor(x.high, x.low), Tag(), out);
}

// Stores the low word of each number first.
HWY_INLINE void store(const Blocks& x, std::uint64_t* out) {
  hn::StoreInterleaved2(x.low, x.high, Tag(), reinterpret_cast<std::uint32_t*>(out));
}

template <typename Bits>
void fill(KeyWords key, KeyWords first, std::span<Bits> out) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  const Hash hash(key);
  auto blocks = [&](std::size_t at) {
    return hash(first[0], hn::Iota(d, first[1] + static_cast<std::uint32_t>(at)));
  };
  std::size_t at = 0;
  for (; at + lanes <= out.size(); at += lanes)
    store(blocks(at), out.data() + at);
  if (at == out.size()) return;
  Bits rest[hn::MaxLanes(d)];
  store(blocks(at), rest);
  std::copy_n(rest, out.size() - at, out.data() + at);
}

void fill32(KeyWords key, KeyWords first, std::span<std::uint32_t> out) {
  fill(key, first, out);
}
void fill64(KeyWords key, KeyWords first, std::span<std::uint64_t> out) {
  fill(key, first, out);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace meshwright::threefry
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace meshwright::threefry {
namespace {

HWY_EXPORT(fill32);
HWY_EXPORT(fill64);

// Splits the range where the high word of the counter changes.
template <typename Bits, typename Fill>
void fill_parts(std::uint64_t first, std::span<Bits> out, const Fill& fill) {
  constexpr std::uint64_t kCounts = std::uint64_t{1} << 32;
  while (!out.empty()) {
    const std::size_t size = std::min<std::uint64_t>(out.size(), kCounts - first % kCounts);
    fill(KeyWords{static_cast<std::uint32_t>(first >> 32), static_cast<std::uint32_t>(first)},
         out.first(size));
    first += size;
    out = out.subspan(size);
  }
}

}  // namespace

void fill_bits32(KeyWords key, std::uint64_t first, std::span<std::uint32_t> out) {
  fill_parts(first, out, [&](KeyWords begin, auto part) {
    HWY_DYNAMIC_DISPATCH(fill32)(key, begin, part);
  });
}

void fill_bits64(KeyWords key, std::uint64_t first, std::span<std::uint64_t> out) {
  fill_parts(first, out, [&](KeyWords begin, auto part) {
    HWY_DYNAMIC_DISPATCH(fill64)(key, begin, part);
  });
}

}  // namespace meshwright::threefry
#endif
