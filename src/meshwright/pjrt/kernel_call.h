// SPDX-License-Identifier: Apache-2.0
// The interface between a kernel and its call. Rules for kernels:
// - Never wait for another device, another process or a task of the pool; use defer() and
//   parallel_for() instead. All devices share one pool, and a waiting thread blocks part of it.
// - Split work by shape, never by the number of threads, so that results do not depend on the pool.
// - Report errors by throwing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/tensor/dtype.h"
#include "meshwright/tensor/host_tensor.h"

namespace meshwright::pjrt {

namespace c::ffi {
struct CallFrame;
struct Future;
}  // namespace c::ffi

/// An argument or result of a kernel: dense, row-major, valid until the call completes.
template <typename Byte>
struct KernelArray {
  DType dtype = DType::f32;
  std::span<const std::int64_t> dims;
  Byte* data = nullptr;

  std::int64_t num_elements() const {
    std::int64_t product = 1;
    for (std::int64_t dim : dims)
      product *= dim;
    return product;
  }
  std::size_t num_bytes() const {
    return static_cast<std::size_t>(num_elements()) * byte_size(dtype);
  }
  /// Throws invalid_argument if T is not the element type.
  template <typename T>
  auto values() const {
    using Element = std::conditional_t<std::is_const_v<Byte>, const T, T>;
    MW_CHECK(dtype == dtype_of<T>(), "kernel array of ", dtype, " read as ", dtype_of<T>());
    return std::span<Element>(reinterpret_cast<Element*>(data),
                              static_cast<std::size_t>(num_elements()));
  }
};
using KernelInput = KernelArray<const std::byte>;
using KernelOutput = KernelArray<std::byte>;

/// Completes a call after its kernel has returned. The owner calls either done() or fail(), once.
/// Destroying it without either counts as a failure.
class Completion {
 public:
  Completion(Completion&& other) noexcept;
  Completion& operator=(Completion&& other) noexcept = delete;
  ~Completion();

  void done();
  /// Fills the results with NaN and makes the runtime throw the error.
  void fail(const std::exception_ptr& error);

 private:
  friend class KernelCall;
  struct State;
  explicit Completion(std::unique_ptr<State> state);
  void fill_and_finish(const std::exception_ptr& error) noexcept;
  void finish() noexcept;
  std::unique_ptr<State> state_;
};

class KernelCall {
 public:
  KernelCall(c::ffi::CallFrame& frame, std::string_view name) : frame_(frame), name_(name) {}
  KernelCall(const KernelCall&) = delete;
  KernelCall& operator=(const KernelCall&) = delete;

  int num_inputs() const;
  int num_outputs() const;
  KernelInput input(int index) const;
  KernelOutput output(int index) const;

  /// Returns an attribute of the call's backend_config. T is std::int64_t, double, float, bool,
  /// std::string_view, or a std::span of const std::int64_t or const double. Integers and floats of
  /// another width are converted. Throws invalid_argument if the attribute is missing or has
  /// another type.
  template <typename T>
  T attr(std::string_view name) const;

  /// Returns the index of the device within the client.
  int device() const;
  /// Returns an id that is the same on all devices of an execution.
  std::int64_t run_id() const;

  /// Calls body(chunk) for every chunk in [0, num_chunks), on this thread and on free threads of
  /// XLA's pool. Returns when all chunks are done. Rethrows the first exception, if any.
  template <typename Body>
  void parallel_for(std::int64_t num_chunks, const Body& body) const {
    run_chunks(
        num_chunks,
        [](const void* b, std::int64_t chunk) { (*static_cast<const Body*>(b))(chunk); }, &body);
  }

  /// Lets the call complete after the kernel has returned. Inputs and outputs stay valid until
  /// then, but this object does not. May be called once.
  Completion defer();

 private:
  using ChunkBody = void (*)(const void* body, std::int64_t chunk);
  void run_chunks(std::int64_t num_chunks, ChunkBody body, const void* arg) const;

  c::ffi::CallFrame& frame_;
  std::string_view name_;
};

template <>
std::int64_t KernelCall::attr(std::string_view name) const;
template <>
double KernelCall::attr(std::string_view name) const;
template <>
float KernelCall::attr(std::string_view name) const;
template <>
bool KernelCall::attr(std::string_view name) const;
template <>
std::string_view KernelCall::attr(std::string_view name) const;
template <>
std::span<const std::int64_t> KernelCall::attr(std::string_view name) const;
template <>
std::span<const double> KernelCall::attr(std::string_view name) const;

}  // namespace meshwright::pjrt
