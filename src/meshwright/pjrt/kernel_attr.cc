// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string_view>

#include "meshwright/pjrt/c/ffi.h"
#include "meshwright/pjrt/kernel_call.h"

namespace meshwright::pjrt {
namespace {

namespace ffi = c::ffi;

struct RawAttr {
  ffi::AttrType type;
  const void* value;
};

RawAttr find_attr(const ffi::CallFrame& frame, std::string_view name) {
  for (std::int64_t i = 0; i < frame.attrs.size; ++i) {
    const ffi::ByteSpan& span = *frame.attrs.names[i];
    if (std::string_view(span.ptr, span.len) == name)
      return {frame.attrs.types[i], frame.attrs.attrs[i]};
  }
  fail(ErrorCode::invalid_argument, "no attribute '", name, "'");
}

[[noreturn]] void fail_attr(std::string_view name, std::string_view wanted) {
  fail(ErrorCode::invalid_argument, "attribute '", name, "' is not ", wanted);
}

template <typename T>
T load(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <typename T>
T scalar_attr(const ffi::CallFrame& frame, std::string_view name, std::string_view wanted) {
  RawAttr raw = find_attr(frame, name);
  if (raw.type != ffi::AttrType::scalar) fail_attr(name, wanted);
  const auto& scalar = *static_cast<const ffi::Scalar*>(raw.value);
  constexpr bool kWantsFloat = std::is_floating_point_v<T>;
  if constexpr (std::is_same_v<T, bool>) {
    if (scalar.dtype == ffi::DataType::pred) return load<bool>(scalar.value);
  } else if constexpr (kWantsFloat) {
    if (scalar.dtype == ffi::DataType::f32) return static_cast<T>(load<float>(scalar.value));
    if (scalar.dtype == ffi::DataType::f64) return static_cast<T>(load<double>(scalar.value));
  } else {
    if (scalar.dtype == ffi::DataType::s32) return load<std::int32_t>(scalar.value);
    if (scalar.dtype == ffi::DataType::s64) return load<std::int64_t>(scalar.value);
  }
  fail_attr(name, wanted);
}

template <typename T>
std::span<const T> list_attr(const ffi::CallFrame& frame,
                             std::string_view name,
                             ffi::DataType dtype,
                             std::string_view wanted) {
  RawAttr raw = find_attr(frame, name);
  if (raw.type != ffi::AttrType::array) fail_attr(name, wanted);
  const auto& array = *static_cast<const ffi::Array*>(raw.value);
  if (array.dtype != dtype) fail_attr(name, wanted);
  return {static_cast<const T*>(array.data), array.size};
}

}  // namespace

template <>
std::int64_t KernelCall::attr(std::string_view name) const {
  return scalar_attr<std::int64_t>(frame_, name, "an integer");
}

template <>
double KernelCall::attr(std::string_view name) const {
  return scalar_attr<double>(frame_, name, "a float");
}

template <>
float KernelCall::attr(std::string_view name) const {
  return scalar_attr<float>(frame_, name, "a float");
}

template <>
bool KernelCall::attr(std::string_view name) const {
  return scalar_attr<bool>(frame_, name, "a boolean");
}

template <>
std::string_view KernelCall::attr(std::string_view name) const {
  RawAttr raw = find_attr(frame_, name);
  if (raw.type != ffi::AttrType::string) fail_attr(name, "a string");
  const auto& span = *static_cast<const ffi::ByteSpan*>(raw.value);
  return {span.ptr, span.len};
}

template <>
std::span<const std::int64_t> KernelCall::attr(std::string_view name) const {
  return list_attr<std::int64_t>(frame_, name, ffi::DataType::s64, "a list of 64-bit integers");
}

template <>
std::span<const double> KernelCall::attr(std::string_view name) const {
  return list_attr<double>(frame_, name, ffi::DataType::f64, "a list of 64-bit floats");
}

}  // namespace meshwright::pjrt
