// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/tensor/dtype.h"
#include "meshwright/tensor/half.h"
#include "meshwright/tensor/shape.h"

namespace meshwright {

/// The DType of a C++ element type.
template <typename T>
constexpr DType dtype_of();

/// A dense row-major array in host memory. Copies share the bytes. Each element of s4 and u4 takes
/// one byte.
class HostTensor {
 public:
  HostTensor() = default;
  /// Allocates zeroed memory, aligned to 64 bytes.
  explicit HostTensor(ArrayType type);
  /// Uses existing memory, which `owner` keeps alive.
  HostTensor(ArrayType type, std::shared_ptr<std::byte> owner);

  template <typename T>
  static HostTensor from(const std::vector<T>& values, Dims dims) {
    HostTensor out(ArrayType{dtype_of<T>(), std::move(dims)});
    MW_CHECK(std::ssize(values) == out.num_elements(), "HostTensor::from: ", values.size(),
             " values for ", out.type());
    for (std::size_t i = 0; i < values.size(); ++i)
      out.mutable_values<T>()[i] = values[i];
    return out;
  }
  template <typename T>
  static HostTensor scalar(T value) {
    return from(std::vector<T>{value}, {});
  }

  const ArrayType& type() const { return type_; }
  DType dtype() const { return type_.dtype; }
  const Dims& dims() const { return type_.dims; }
  std::int64_t num_elements() const { return meshwright::num_elements(type_.dims); }
  std::size_t num_bytes() const { return static_cast<std::size_t>(type_.num_bytes()); }

  const std::byte* data() const { return bytes_.get(); }
  std::byte* mutable_data() { return bytes_.get(); }
  std::span<const std::byte> bytes() const { return {bytes_.get(), num_bytes()}; }

  /// Throws invalid_argument if T is not the element type of this tensor.
  template <typename T>
  std::span<const T> values() const {
    check_dtype(dtype_of<T>());
    return {reinterpret_cast<const T*>(bytes_.get()), static_cast<std::size_t>(num_elements())};
  }
  template <typename T>
  std::span<T> mutable_values() {
    check_dtype(dtype_of<T>());
    return {reinterpret_cast<T*>(bytes_.get()), static_cast<std::size_t>(num_elements())};
  }

  /// Returns the elements of any dtype as doubles. For tests and printing.
  std::vector<double> to_doubles() const;

 private:
  void check_dtype(DType wanted) const {
    MW_CHECK(wanted == type_.dtype, "HostTensor: ", type_, " read as ", wanted);
  }

  ArrayType type_;
  std::shared_ptr<std::byte> bytes_;
};

template <>
constexpr DType dtype_of<bool>() {
  return DType::pred;
}
template <>
constexpr DType dtype_of<std::int8_t>() {
  return DType::s8;
}
template <>
constexpr DType dtype_of<std::int16_t>() {
  return DType::s16;
}
template <>
constexpr DType dtype_of<std::int32_t>() {
  return DType::s32;
}
template <>
constexpr DType dtype_of<std::int64_t>() {
  return DType::s64;
}
template <>
constexpr DType dtype_of<std::uint8_t>() {
  return DType::u8;
}
template <>
constexpr DType dtype_of<std::uint16_t>() {
  return DType::u16;
}
template <>
constexpr DType dtype_of<std::uint32_t>() {
  return DType::u32;
}
template <>
constexpr DType dtype_of<std::uint64_t>() {
  return DType::u64;
}
template <>
constexpr DType dtype_of<Half>() {
  return DType::f16;
}
template <>
constexpr DType dtype_of<BFloat16>() {
  return DType::bf16;
}
template <>
constexpr DType dtype_of<float>() {
  return DType::f32;
}
template <>
constexpr DType dtype_of<double>() {
  return DType::f64;
}

}  // namespace meshwright
