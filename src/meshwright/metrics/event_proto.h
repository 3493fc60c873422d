// SPDX-License-Identifier: Apache-2.0
// The parts of TensorFlow's event.proto and summary.proto and of TensorBoard's hparams plugin that
// Meshwright writes.
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

/// Returns the event that begins every file.
std::string version_event(double wall_seconds);
/// Returns an event that tells TensorBoard to discard earlier events from `first_step` on.
std::string session_start_event(double wall_seconds, std::int64_t first_step);
/// Returns an event with all entries of a record. Throws invalid_argument for an image with an
/// invalid shape.
std::string record_event(const Record& record, const EventLimits& limits);

/// Returns an event in TFRecord format: its length and bytes, each with a checksum.
std::string framed(std::string_view event);

inline constexpr std::size_t kFrameHeaderBytes = 12, kFrameFooterBytes = 4;
/// Returns the number of bytes of the event that follows the first bytes of its frame. Throws
/// data_loss if their checksum is wrong.
std::uint64_t size_of_frame(std::string_view header);
/// Returns the event in the rest of its frame. Throws data_loss if its checksum is wrong.
std::string_view content_of_frame(std::string_view rest);

}  // namespace meshwright::metrics
