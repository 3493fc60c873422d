// SPDX-License-Identifier: Apache-2.0
// What a kernel sees of its call. Rules for kernels:
// - Never wait for another device, another process or a task of the pool: use defer() and
//   parallel_for(). All devices share one pool, and a waiting thread is missing in it.
// - Split work by shape, never by the number of threads: same bits whatever the pool.
// - Fail by throwing.
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

/// An argument or result of a kernel: dense, row-major, in memory that the call may use until it
/// ends.
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

/// The end of a kernel that goes on after it returned. Whoever has it calls done() or fail() once;
/// destroying it without is a failure.
class Completion {
 public:
  Completion(Completion&& other) noexcept;
  Completion& operator=(Completion&& other) noexcept = delete;
  ~Completion();

  void done();
  /// Results become NaN, and the error is raised by the runtime.
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

  /// An attribute of the call's backend_config. T is std::int64_t, double, float, bool,
  /// std::string_view or a std::span of const std::int64_t or double; an integer or float attribute
  /// of another width is converted. Throws invalid_argument if it is missing or of another kind.
  template <typename T>
  T attr(std::string_view name) const;

  /// The device, counted over those of the client.
  int device() const;
  /// The same on all devices of one execution.
  std::int64_t run_id() const;

  /// Calls body(chunk) for every chunk in [0, num_chunks), on this thread and on threads of XLA's
  /// pool that happen to be free. Returns when all are done; throws the first exception of one.
  template <typename Body>
  void parallel_for(std::int64_t num_chunks, const Body& body) const {
    run_chunks(
        num_chunks,
        [](const void* b, std::int64_t chunk) { (*static_cast<const Body*>(b))(chunk); }, &body);
  }

  /// Lets the call end after the kernel returned. Inputs and outputs stay until then; this object
  /// does not. The call must not have been deferred before.
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
