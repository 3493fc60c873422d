// SPDX-License-Identifier: Apache-2.0
#include "meshwright/pjrt/event.h"

#include <memory>

#include "meshwright/pjrt/call.h"
#include "meshwright/pjrt/handover.h"

namespace meshwright::pjrt {

void Event::await(std::string_view doing) const {
  call(handle_.plugin(), &c::Api::event_await, {.event = handle_.get()}, doing);
  take_over(&kArrayElements);
}

bool Event::is_ready() const {
  auto args = call(handle_.plugin(), &c::Api::event_is_ready, {.event = handle_.get()},
                   "checking whether an event is ready");
  if (args.is_ready) take_over(&kArrayElements);
  return args.is_ready;
}

void Event::on_ready(std::function<void()> action) const {
  struct Waiting {
    const Plugin& plugin;
    std::function<void()> action;
  };
  auto waiting = std::make_unique<Waiting>(Waiting{handle_.plugin(), std::move(action)});
  auto callback = [](c::Error* error, void* arg) {
    take_over(arg);
    take_over(&kArrayElements);
    std::unique_ptr<Waiting> own(static_cast<Waiting*>(arg));
    discard(own->plugin, error);
    own->action();
  };
  hand_over(waiting.get());
  call(handle_.plugin(), &c::Api::event_on_ready,
       {.event = handle_.get(), .callback = callback, .user_arg = waiting.get()},
       "waiting for an event");
  (void)waiting.release();  // owned by the callback from here on
}

}  // namespace meshwright::pjrt
