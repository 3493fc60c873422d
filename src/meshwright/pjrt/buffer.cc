// SPDX-License-Identifier: Apache-2.0
#include "meshwright/pjrt/buffer.h"

#include "meshwright/pjrt/buffer_type.h"
#include "meshwright/pjrt/call.h"
#include "meshwright/pjrt/handover.h"

namespace meshwright::pjrt {

ArrayType Buffer::type() const {
  auto element = call(handle_.plugin(), &c::Api::buffer_element_type, {.buffer = get()},
                      "reading the element type of an array");
  auto shape = call(handle_.plugin(), &c::Api::buffer_dimensions, {.buffer = get()},
                    "reading the shape of an array");
  return {from_c(element.type), Dims(shape.dims, shape.dims + shape.num_dims)};
}

bool Buffer::is_alive() const {
  if (!handle_) return false;
  auto args = call(handle_.plugin(), &c::Api::buffer_is_deleted, {.buffer = get()},
                   "checking whether an array was donated");
  return !args.is_deleted;
}

void Buffer::delete_memory() {
  hand_over(&kArrayElements);
  call(handle_.plugin(), &c::Api::buffer_delete, {.buffer = get()}, "deleting an array");
}

Event Buffer::copy_to_host(std::span<std::byte> out) const {
  // Requests row-major order explicitly, since a device may use another.
  Dims dims = type().dims;
  Dims minor_to_major(dims.size());
  for (std::size_t i = 0; i < dims.size(); ++i)
    minor_to_major[i] = static_cast<std::int64_t>(dims.size() - 1 - i);
  c::BufferMemoryLayout layout;
  layout.tiled.minor_to_major = minor_to_major.data();
  layout.tiled.minor_to_major_size = minor_to_major.size();
  hand_over(&kArrayElements);
  auto args =
      call(handle_.plugin(), &c::Api::buffer_to_host_buffer,
           {.src = get(), .host_layout = &layout, .dst = out.data(), .dst_size = out.size()},
           "copying an array to the host");
  return Event(Handle(handle_.plugin(), args.event));
}

Event Buffer::ready_event() const {
  auto args = call(handle_.plugin(), &c::Api::buffer_ready_event, {.buffer = get()},
                   "waiting for an array");
  return Event(Handle(handle_.plugin(), args.event));
}

const std::byte* Buffer::unsafe_pointer() const {
  auto args = call(handle_.plugin(), &c::Api::buffer_unsafe_pointer, {.buffer = get()},
                   "reading the address of an array");
  // The interface uses an integer here. NOLINTNEXTLINE(performance-no-int-to-ptr)
  return reinterpret_cast<const std::byte*>(args.buffer_pointer);
}

bool Buffer::is_on_cpu() const {
  return call(handle_.plugin(), &c::Api::buffer_is_on_cpu, {.buffer = get()}, "locating an array")
      .is_on_cpu;
}

}  // namespace meshwright::pjrt
