// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/cast.h"

#include <memory>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/tensor/float_cast.h"

namespace meshwright::checkpoint {
namespace {

// Calls f with a value of the C++ type of an integer dtype; false if it has none.
template <typename F>
bool with_integer(DType dtype, const F& f) {
  switch (dtype) {
    // Calls of different types. NOLINTNEXTLINE(bugprone-branch-clone)
    case DType::s8:
      f(std::int8_t());
      return true;
    case DType::s16:
      f(std::int16_t());
      return true;
    case DType::s32:
      f(std::int32_t());
      return true;
    case DType::s64:
      f(std::int64_t());
      return true;
    case DType::u8:
      f(std::uint8_t());
      return true;
    case DType::u16:
      f(std::uint16_t());
      return true;
    case DType::u32:
      f(std::uint32_t());
      return true;
    case DType::u64:
      f(std::uint64_t());
      return true;
    default:
      return false;
  }
}

bool can_integer_cast(DType dtype) {
  return with_integer(dtype, [](auto) {});
}

template <typename From, typename To>
void copy_integers(const HostTensor& from, HostTensor& to) {
  std::span<const From> in = from.values<From>();
  std::span<To> out = to.mutable_values<To>();
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!std::in_range<To>(in[i]))
      fail(ErrorCode::data_loss, "the value ", in[i], " of ", from.type(), " is no ", to.dtype());
    // Numbers, not characters. NOLINTNEXTLINE(bugprone-signed-char-misuse)
    out[i] = static_cast<To>(in[i]);
  }
}

HostTensor cast_value(const HostTensor& value, DType dtype) {
  if (can_float_cast(dtype)) return float_cast(value, dtype);
  HostTensor out(ArrayType{dtype, value.dims()});
  with_integer(value.dtype(), [&](auto from) {
    with_integer(dtype, [&](auto to) { copy_integers<decltype(from), decltype(to)>(value, out); });
  });
  return out;
}

class CastSource : public ArraySource {
 public:
  CastSource(StoredArray array, DType dtype) : array_(std::move(array)), dtype_(dtype) {}

  Dims chunk() const override { return array_.chunk(); }
  void read(const Ranges& part, const io::zarr::Target& target) const override {
    const HostTensor value = cast_value(array_.read(part), dtype_);
    copy_overlap(value.data(), part, target.data, target.ranges, byte_size(dtype_));
  }

 private:
  StoredArray array_;
  DType dtype_;
};

}  // namespace

bool can_cast(DType from, DType to) {
  return from == to || (can_float_cast(from) && can_float_cast(to)) ||
         (can_integer_cast(from) && can_integer_cast(to));
}

StoredArray cast(const StoredArray& array, DType dtype) {
  if (array.type().dtype == dtype) return array;
  MW_CHECK(can_cast(array.type().dtype, dtype), "checkpoint: ", array.type(),
           " cannot be taken for ", dtype);
  return {{dtype, array.type().dims}, std::make_shared<CastSource>(array, dtype)};
}

}  // namespace meshwright::checkpoint
