// SPDX-License-Identifier: Apache-2.0
// Keeps all intermediate values of an element in registers, since updates are bound by memory
// bandwidth.
#include "meshwright/kernels/simd/update.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "meshwright/kernels/simd/update.cc"
// The order matters: foreach_target.h comes first.
// clang-format off
#include <hwy/foreach_target.h>
#include "meshwright/kernels/simd/elements-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace meshwright::kernels {
namespace HWY_NAMESPACE {
namespace {

HWY_INLINE Vector all(float x) {
  return hn::Set(Floats(), x);
}

// Up to one vector of elements: `size` of them, starting at `at`.
struct Place {
  std::int64_t at, size;
};

HWY_INLINE Vector read(const std::byte* from, DType dtype, Place place) {
  if (dtype == DType::f32)
    return load_some(reinterpret_cast<const float*>(from) + place.at, place.size);
  return load_some(reinterpret_cast<const BFloat16*>(from) + place.at, place.size);
}

HWY_INLINE Vector read(const Changed& array, Place place) {
  return read(array.from, array.dtype, place);
}

HWY_INLINE void write(Vector x, const Changed& array, Place place) {
  if (array.dtype == DType::f32) {
    store_some(x, reinterpret_cast<float*>(array.to) + place.at, place.size);
  } else {
    store_some(x, reinterpret_cast<BFloat16*>(array.to) + place.at, place.size);
  }
}

HWY_INLINE Vector averaged(Vector now, Vector old, UpdateNumbers::Decay decay) {
  return hn::MulAdd(all(decay.old), old, hn::Mul(all(decay.now), now));
}

// Skips the product if the factor is 0, since 0 times infinity is NaN.
HWY_INLINE Vector plus_scaled(float factor, Vector x, Vector addend) {
  return factor == 0 ? addend : hn::MulAdd(all(factor), x, addend);
}

// Preserves NaN.
HWY_INLINE Vector sign(Vector x) {
  const Vector positive = hn::IfThenElse(hn::Gt(x, all(0)), all(1), x);
  return hn::IfThenElse(hn::Lt(x, all(0)), all(-1), positive);
}

template <UpdateCore kCore>
HWY_INLINE Vector adam(const UpdateNumbers& n, const UpdateRun& run, Place place, Vector u) {
  const Vector mu = averaged(u, read(run.slots[0], place), n.b1);
  const Vector nu = averaged(hn::Mul(u, u), read(run.slots[1], place), n.b2);
  write(mu, run.slots[0], place);
  write(nu, run.slots[1], place);
  Vector first = hn::Mul(mu, all(n.first_factor));
  if constexpr (kCore == UpdateCore::nesterov_adam) {
    const Vector next = hn::Mul(mu, all(n.next_factor));
    first = averaged(hn::Mul(u, all(n.first_factor)), next, n.ahead);
  }
  const Vector second = hn::MulAdd(nu, all(n.square_factor), all(n.eps_root));
  return hn::Div(first, hn::Add(hn::Sqrt(second), all(n.eps)));
}

template <UpdateCore kCore>
HWY_INLINE Vector after_core(const UpdateNumbers& n, const UpdateRun& run, Place place, Vector u) {
  if constexpr (kCore == UpdateCore::none) return u;
  if constexpr (kCore == UpdateCore::adam || kCore == UpdateCore::nesterov_adam)
    return adam<kCore>(n, run, place, u);
  const Vector old = read(run.slots[0], place);
  if constexpr (kCore == UpdateCore::lion) {
    write(averaged(u, old, n.b2), run.slots[0], place);
    return sign(averaged(u, old, n.b1));
  }
  if constexpr (kCore == UpdateCore::average) {
    const Vector average = averaged(u, old, n.b1);
    write(average, run.slots[0], place);
    return hn::Mul(average, all(n.first_factor));
  }
  const Vector sum = hn::MulAdd(all(n.b1.old), old, u);
  write(sum, run.slots[0], place);
  return kCore == UpdateCore::nesterov_momentum ? hn::MulAdd(all(n.ahead.old), sum, u) : sum;
}

template <UpdateCore kCore>
HWY_INLINE void update_some(const UpdateNumbers& n, const UpdateRun& run, Place place) {
  Vector u = all(0);
  if (run.gradient != nullptr) {
    u = hn::Mul(read(run.gradient, run.gradient_dtype, place), all(n.gradient_factor));
    if (run.factors != nullptr) u = hn::Mul(u, load_some(run.factors + place.at, place.size));
  }
  const Vector old = read(run.param, place);
  u = after_core<kCore>(n, run, place, plus_scaled(n.param_factor, old, u));
  const Vector change = hn::Mul(all(n.behind_factor), u);
  const Vector moved = hn::Add(old, plus_scaled(n.behind_param_factor, old, change));
  write(moved, run.param, place);
  if (run.average.from == nullptr) return;
  // Averages the stored value, which is rounded.
  const Vector stored = run.param.dtype == DType::f32 ? moved : widened(rounded_to_halves(moved));
  write(averaged(stored, read(run.average, place), n.average), run.average, place);
}

template <UpdateCore kCore>
void update_all(const UpdateNumbers& numbers, const UpdateRun& run, std::int64_t size) {
  std::int64_t i = 0;
  for (; i + kWidth <= size; i += kWidth)
    update_some<kCore>(numbers, run, {i, kWidth});
  if (i < size) update_some<kCore>(numbers, run, {i, size - i});
}

void update_run_here(const UpdateNumbers& numbers, const UpdateRun& run, std::int64_t size) {
  using enum UpdateCore;
  switch (numbers.core) {
    case none:
      return update_all<none>(numbers, run, size);
    case adam:
      return update_all<adam>(numbers, run, size);
    case nesterov_adam:
      return update_all<nesterov_adam>(numbers, run, size);
    case lion:
      return update_all<lion>(numbers, run, size);
    case momentum:
      return update_all<momentum>(numbers, run, size);
    case nesterov_momentum:
      return update_all<nesterov_momentum>(numbers, run, size);
    case average:
      return update_all<average>(numbers, run, size);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace meshwright::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace meshwright::kernels {

HWY_EXPORT(update_run_here);

void update_run(const UpdateNumbers& numbers, const UpdateRun& run, std::int64_t size) {
  HWY_DYNAMIC_DISPATCH(update_run_here)(numbers, run, size);
}

}  // namespace meshwright::kernels
#endif
