// SPDX-License-Identifier: Apache-2.0
// TensorFlow's event.proto and summary.proto, TensorBoard's hparams plugin, as far as written here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "meshwright/base/proto_writer.h"
#include "meshwright/metrics/event.h"

namespace meshwright::metrics {

/// How much of large values is written.
struct EventLimits {
  std::int64_t max_images = 25;
};

/// The first event of each file.
ProtoWriter version_event(double wall_seconds);
/// Makes readers forget what older files have for `first_step` and later steps.
ProtoWriter session_start_event(double wall_seconds, std::int64_t first_step);
/// All entries of a record. Throws invalid_argument for an image of a wrong shape.
ProtoWriter record_event(const Record& record, const EventLimits& limits);

/// An event in a file: its length and its bytes, each with a checksum (the TFRecord format).
std::string framed(std::string_view event);

}  // namespace meshwright::metrics
