// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tensor/host_tensor.h"

#include <cmath>
#include <cstdlib>
#include <new>

namespace meshwright {
namespace {

constexpr std::size_t kAlignment = 64;

std::shared_ptr<std::byte> aligned_zeros(std::size_t num_bytes) {
  std::size_t rounded = (num_bytes + kAlignment) / kAlignment * kAlignment;
  void* memory = std::aligned_alloc(kAlignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, rounded);
  return {static_cast<std::byte*>(memory), [](std::byte* p) { std::free(p); }};
}

double small_float_to_double(unsigned bits, int exponent_bits, int mantissa_bits, bool has_inf) {
  unsigned sign = bits >> (exponent_bits + mantissa_bits) & 1u;
  unsigned exponent = bits >> mantissa_bits & ((1u << exponent_bits) - 1);
  unsigned mantissa = bits & ((1u << mantissa_bits) - 1);
  unsigned top = (1u << exponent_bits) - 1;
  int bias = (1 << (exponent_bits - 1)) - 1;
  double value = 0;
  if (has_inf && exponent == top) {
    value = mantissa == 0 ? HUGE_VAL : NAN;
  } else if (!has_inf && exponent == top && mantissa == (1u << mantissa_bits) - 1) {
    value = NAN;
  } else if (exponent == 0) {
    value = std::ldexp(mantissa, 1 - bias - mantissa_bits);
  } else {
    value = std::ldexp(mantissa + (1u << mantissa_bits),
                       static_cast<int>(exponent) - bias - mantissa_bits);
  }
  return sign != 0 ? -value : value;
}

template <typename T>
void append_doubles(const HostTensor& tensor, std::vector<double>& out) {
  for (T value : tensor.values<T>())
    out.push_back(static_cast<double>(value));
}

}  // namespace

HostTensor::HostTensor(ArrayType type) : type_(std::move(type)) {
  bytes_ = aligned_zeros(num_bytes());
}

HostTensor::HostTensor(ArrayType type, std::shared_ptr<std::byte> owner)
    : type_(std::move(type)), bytes_(std::move(owner)) {}

std::vector<double> HostTensor::to_doubles() const {
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(num_elements()));
  switch (dtype()) {
    case DType::pred:
      append_doubles<bool>(*this, out);
      break;
    case DType::s8:
      append_doubles<std::int8_t>(*this, out);
      break;
    case DType::s16:
      append_doubles<std::int16_t>(*this, out);
      break;
    case DType::s32:
      append_doubles<std::int32_t>(*this, out);
      break;
    case DType::s64:
      append_doubles<std::int64_t>(*this, out);
      break;
    case DType::u8:
      append_doubles<std::uint8_t>(*this, out);
      break;
    case DType::u16:
      append_doubles<std::uint16_t>(*this, out);
      break;
    case DType::u32:
      append_doubles<std::uint32_t>(*this, out);
      break;
    case DType::u64:
      append_doubles<std::uint64_t>(*this, out);
      break;
    case DType::f16:
      append_doubles<Half>(*this, out);
      break;
    case DType::bf16:
      append_doubles<BFloat16>(*this, out);
      break;
    case DType::f32:
      append_doubles<float>(*this, out);
      break;
    case DType::f64:
      append_doubles<double>(*this, out);
      break;
    case DType::s4:
    case DType::u4:
    case DType::f8e4m3fn:
    case DType::f8e5m2:
      for (std::byte byte : bytes()) {
        unsigned bits = std::to_integer<unsigned>(byte);
        if (dtype() == DType::s4)
          out.push_back(static_cast<int>(bits & 15u) - ((bits & 8u) != 0 ? 16 : 0));
        if (dtype() == DType::u4) out.push_back(bits & 15u);
        if (dtype() == DType::f8e4m3fn) out.push_back(small_float_to_double(bits, 4, 3, false));
        if (dtype() == DType::f8e5m2) out.push_back(small_float_to_double(bits, 5, 2, true));
      }
      break;
  }
  return out;
}

}  // namespace meshwright
