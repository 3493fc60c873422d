// SPDX-License-Identifier: Apache-2.0
// The subset of TensorFlow's event.proto and summary.proto and of TensorBoard's hparams plugin that
// is written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "meshwright/base/proto_writer.h"
#include "meshwright/metrics/event.h"

namespace meshwright::metrics {

/// Limits on large values.
struct EventLimits {
  std::int64_t max_images = 25;
};

/// Returns the first event of each file.
ProtoWriter version_event(double wall_seconds);
/// Tells TensorBoard to discard earlier events from `first_step` on.
ProtoWriter session_start_event(double wall_seconds, std::int64_t first_step);
/// Returns an event with all entries of a record. Throws invalid_argument for an image with an
/// invalid shape.
ProtoWriter record_event(const Record& record, const EventLimits& limits);

/// Returns an event in TFRecord format: its length and bytes, each with a checksum.
std::string framed(std::string_view event);

}  // namespace meshwright::metrics
