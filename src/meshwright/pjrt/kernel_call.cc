// SPDX-License-Identifier: Apache-2.0
#include "meshwright/pjrt/kernel_call.h"

#include <cstring>
#include <exception>
#include <optional>

#include "meshwright/pjrt/c/ffi.h"
#include "meshwright/pjrt/chunk_loop.h"
#include "meshwright/pjrt/handover.h"
#include "meshwright/pjrt/kernel.h"
#include "meshwright/pjrt/kernel_clock.h"
#include "meshwright/pjrt/kernel_errors.h"

namespace meshwright::pjrt {
namespace {

namespace ffi = c::ffi;

std::optional<DType> find_dtype(ffi::DataType type) {
  switch (type) {
    case ffi::DataType::pred:
      return DType::pred;
    case ffi::DataType::s8:
      return DType::s8;
    case ffi::DataType::s16:
      return DType::s16;
    case ffi::DataType::s32:
      return DType::s32;
    case ffi::DataType::s64:
      return DType::s64;
    case ffi::DataType::u8:
      return DType::u8;
    case ffi::DataType::u16:
      return DType::u16;
    case ffi::DataType::u32:
      return DType::u32;
    case ffi::DataType::u64:
      return DType::u64;
    case ffi::DataType::f16:
      return DType::f16;
    case ffi::DataType::f32:
      return DType::f32;
    case ffi::DataType::f64:
      return DType::f64;
    case ffi::DataType::bf16:
      return DType::bf16;
    case ffi::DataType::f8e5m2:
      return DType::f8e5m2;
    case ffi::DataType::f8e4m3fn:
      return DType::f8e4m3fn;
    case ffi::DataType::s4:
      return DType::s4;
    case ffi::DataType::u4:
      return DType::u4;
    case ffi::DataType::invalid:
    case ffi::DataType::token:
      break;
  }
  return std::nullopt;
}

template <typename Byte>
KernelArray<Byte> view(const void* raw) {
  const auto& buffer = *static_cast<const ffi::Buffer*>(raw);
  std::optional<DType> dtype = find_dtype(buffer.dtype);
  MW_CHECK(dtype.has_value(), "unsupported XLA element type ", static_cast<int>(buffer.dtype));
  return {*dtype,
          {buffer.dims, static_cast<std::size_t>(buffer.rank)},
          static_cast<Byte*>(buffer.data)};
}

/// Returns the bytes of a NaN; zeros for types without one.
std::span<const unsigned char> nan_bytes(DType dtype) {
  static constexpr unsigned char f64_nan[] = {0, 0, 0, 0, 0, 0, 0xf8, 0x7f};
  static constexpr unsigned char f32_nan[] = {0, 0, 0xc0, 0x7f};
  static constexpr unsigned char bf16_nan[] = {0xc0, 0x7f};
  static constexpr unsigned char f16_nan[] = {0x00, 0x7e};
  static constexpr unsigned char f8_nan[] = {0x7f};
  static constexpr unsigned char zero[] = {0};
  switch (dtype) {
    case DType::f64:
      return f64_nan;
    case DType::f32:
      return f32_nan;
    case DType::bf16:
      return bf16_nan;
    case DType::f16:
      return f16_nan;
    case DType::f8e4m3fn:
    case DType::f8e5m2:
      return f8_nan;
    default:
      return zero;
  }
}

void fill_with_nan(const KernelOutput& output) {
  std::span<const unsigned char> pattern = nan_bytes(output.dtype);
  for (std::size_t at = 0; at < output.num_bytes(); at += pattern.size())
    std::memcpy(output.data + at, pattern.data(), pattern.size());
}

/// Calls a function of the handler interface. Its errors concern the call itself.
template <typename Args>
void call(const ffi::Api& api, ffi::Function<Args> ffi::Api::*entry, Args& args) {
  ffi::Error* error = (api.*entry)(&args);
  if (error == nullptr) return;
  ffi::ErrorDestroyArgs destroy{.error = error};
  api.error_destroy(&destroy);
  fail(ErrorCode::internal, "XLA rejected a call by a kernel");
}

/// Lets a thread of the pool help with the loop. It may start after the loop is done, and then
/// finds no chunk.
bool schedule_helper(const ffi::CallFrame& frame, ChunkLoop& loop) {
  loop.ref();
  ffi::ThreadPoolScheduleArgs args{.ctx = frame.ctx,
                                   .task =
                                       [](void* data) {
                                         auto* shared = static_cast<ChunkLoop*>(data);
                                         shared->work();
                                         shared->unref();
                                       },
                                   .data = &loop};
  ffi::Error* error = frame.api->thread_pool_schedule(&args);
  if (error == nullptr) return true;
  ffi::ErrorDestroyArgs destroy{.error = error};
  frame.api->error_destroy(&destroy);
  loop.unref();
  return false;
}

}  // namespace

int KernelCall::num_inputs() const {
  return static_cast<int>(frame_.args.size);
}

int KernelCall::num_outputs() const {
  return static_cast<int>(frame_.rets.size);
}

KernelInput KernelCall::input(int index) const {
  MW_CHECK(index >= 0 && index < num_inputs(), "no input ", index, ": the kernel has ",
           num_inputs());
  return view<const std::byte>(frame_.args.args[index]);
}

KernelOutput KernelCall::output(int index) const {
  MW_CHECK(index >= 0 && index < num_outputs(), "no output ", index, ": the kernel has ",
           num_outputs());
  return view<std::byte>(frame_.rets.rets[index]);
}

int KernelCall::device() const {
  ffi::DeviceOrdinalGetArgs args{.ctx = frame_.ctx};
  call(*frame_.api, &ffi::Api::device_ordinal_get, args);
  return args.device_ordinal;
}

std::int64_t KernelCall::run_id() const {
  ffi::RunIdGetArgs args{.ctx = frame_.ctx};
  call(*frame_.api, &ffi::Api::run_id_get, args);
  return args.run_id;
}

void KernelCall::run_chunks(std::int64_t num_chunks, ChunkBody body, const void* arg) const {
  if (num_chunks <= 0) return;
  std::int64_t num_threads = 0;
  ffi::ThreadPoolNumThreadsArgs threads{.ctx = frame_.ctx, .num_threads = &num_threads};
  call(*frame_.api, &ffi::Api::thread_pool_num_threads, threads);
  auto unref = [](ChunkLoop* loop) { loop->unref(); };
  std::unique_ptr<ChunkLoop, decltype(unref)> loop(ChunkLoop::create(num_chunks, body, arg), unref);
  const std::int64_t num_helpers = std::min(num_chunks, num_threads) - 1;
  for (std::int64_t i = 0; i < num_helpers; ++i)
    if (!schedule_helper(frame_, *loop)) break;  // this thread does the rest
  loop->work();
  loop->finish();
}

struct Completion::State {
  const ffi::Api* api;
  ffi::Future* future;
  std::string name;
  int device;
  std::int64_t run;
  std::vector<KernelOutput> outputs;
  std::vector<Dims> dims;  // the call frame with the originals no longer exists by then
};

Completion::Completion(std::unique_ptr<State> state) : state_(std::move(state)) {}

Completion::Completion(Completion&& other) noexcept = default;

Completion::~Completion() {
  if (state_ == nullptr) return;
  fill_and_finish(
      std::make_exception_ptr(Error(ErrorCode::internal, "it completed without a result")));
}

void Completion::done() {
  MW_CHECK(state_ != nullptr, "a kernel completed twice");
  finish();
}

void Completion::fail(const std::exception_ptr& error) {
  MW_CHECK(state_ != nullptr, "a kernel completed twice");
  fill_and_finish(error);
}

void Completion::fill_and_finish(const std::exception_ptr& error) noexcept {
  KernelErrors::record(state_->name, state_->device, state_->run, error);
  for (const KernelOutput& output : state_->outputs)
    fill_with_nan(output);
  finish();
}

void Completion::finish() noexcept {
  std::unique_ptr<State> state = std::move(state_);
  hand_over(&kArrayElements);
  ffi::FutureSetAvailableArgs args{.future = state->future};
  if (ffi::Error* error = state->api->future_set_available(&args)) {
    ffi::ErrorDestroyArgs destroy{.error = error};  // XLA abandoned the call; nobody waits for it
    state->api->error_destroy(&destroy);
  }
}

Completion KernelCall::defer() {
  MW_CHECK(frame_.future == nullptr, "kernel ", name_, " deferred its completion twice");
  auto state = std::make_unique<Completion::State>();
  state->api = frame_.api;
  state->name = name_;
  state->device = device();
  state->run = run_id();
  for (int i = 0; i < num_outputs(); ++i) {
    KernelOutput out = output(i);
    state->dims.emplace_back(out.dims.begin(), out.dims.end());
    out.dims = state->dims.back();
    state->outputs.push_back(out);
  }
  ffi::FutureCreateArgs args;
  call(*frame_.api, &ffi::Api::future_create, args);
  state->future = args.future;
  frame_.future = args.future;
  return Completion(std::move(state));
}

namespace {

bool answer_metadata(ffi::CallFrame& frame) {
  ffi::InternalExtension* extension = frame.header.extension_start;
  if (extension == nullptr || extension->type != ffi::InternalExtensionType::metadata) return false;
  ffi::Metadata& metadata = *reinterpret_cast<ffi::MetadataExtension*>(extension)->metadata;
  metadata.api_version.major_version = ffi::kApiMajor;
  metadata.api_version.minor_version = ffi::kApiMinor;
  metadata.traits = 0;
  return true;
}

void record_error(const KernelCall& call, std::string_view name) noexcept {
  const std::exception_ptr error = std::current_exception();
  int device = -1;
  std::int64_t run = 0;
  try {
    device = call.device();
    run = call.run_id();
  } catch (...) {  // report the error even if these are unknown
  }
  KernelErrors::record(name, device, run, error);
}

}  // namespace

void* enter_kernel(void* call_frame, std::string_view name, void (*run)(KernelCall&)) noexcept {
  auto& frame = *static_cast<ffi::CallFrame*>(call_frame);
  if (answer_metadata(frame) || frame.stage != ffi::ExecutionStage::execute) return nullptr;
  take_over(&kArrayElements);
  KernelCall call(frame, name);
  const KernelClock::Measure measure(call, name);
  try {
    run(call);
  } catch (...) {
    record_error(call, name);
    for (int i = 0; i < call.num_outputs(); ++i)
      fill_with_nan(call.output(i));
  }
  hand_over(&kArrayElements);
  return nullptr;
}

}  // namespace meshwright::pjrt
