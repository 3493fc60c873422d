// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/contents/cast.h"

#include <memory>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/tensor/float_cast.h"
#include "meshwright/tensor/with_dtype.h"

namespace meshwright::checkpoint {
namespace {

bool can_integer_cast(DType dtype) {
  return with_integer(dtype, [](auto) {});
}

template <typename From, typename To>
void copy_integers(const HostTensor& from, HostTensor& to) {
  std::span<const From> in = from.values<From>();
  std::span<To> out = to.mutable_values<To>();
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!std::in_range<To>(in[i]))
      fail(ErrorCode::data_loss, "the value ", in[i], " of ", from.type(), " is not a valid ",
           to.dtype());
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
  bool reads_parts() const override { return array_.reads_parts(); }
  void check(const Ranges& part) const override { array_.check(part); }
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
  MW_CHECK(can_cast(array.type().dtype, dtype), "checkpoint: ", array.type(), " cannot be cast to ",
           dtype);
  return {{dtype, array.type().dims}, std::make_shared<CastSource>(array, dtype)};
}

}  // namespace meshwright::checkpoint
