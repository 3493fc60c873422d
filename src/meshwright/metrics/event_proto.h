// SPDX-License-Identifier: Apache-2.0
// The subset of TensorFlow's event.proto and summary.proto and of TensorBoard's hparams plugin that
// is written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "meshwright/metrics/event.h"

namespace meshwright::metrics {

/// Limits on large values.
struct EventLimits {
  std::int64_t max_images = 25;
};

/// The first event of each file.
std::string version_event(double wall_seconds);
/// Makes readers forget what older files have for `first_step` and later steps.
std::string session_start_event(double wall_seconds, std::int64_t first_step);
/// All entries of a record. Throws invalid_argument for an image of a wrong shape.
std::string record_event(const Record& record, const EventLimits& limits);

/// Returns an event in TFRecord format: its length and bytes, each with a checksum.
std::string framed(std::string_view event);

}  // namespace meshwright::metrics
