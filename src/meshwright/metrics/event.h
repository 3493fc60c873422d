// SPDX-License-Identifier: Apache-2.0
// The records of a run: metrics and other values by step.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "meshwright/base/scalar.h"
#include "meshwright/metrics/histogram.h"
#include "meshwright/tensor/host_tensor.h"

namespace meshwright::metrics {

/// A mean and its total weight, for example a number of examples.
struct WeightedScalar {
  double mean = 0;
  double weight = 0;
  bool operator==(const WeightedScalar&) const = default;
};

/// Numbers to compute a histogram of. The bus does so on its own thread, since it may take a long
/// time.
struct Distribution {
  HostTensor values;
};

/// TensorBoard renders it as Markdown.
struct Text {
  std::string text;
};

/// Pixels as u8, or as f32 from 0 to 1: [height width channel], or [image height width channel] for
/// several images. Must have 1, 3 or 4 channels.
struct Image {
  HostTensor pixels;
};

/// Settings to compare runs by, as named scalars.
struct Settings {
  std::map<std::string, Scalar> values;
};

using Value = std::variant<double, WeightedScalar, Histogram, Distribution, Text, Image, Settings>;

struct Entry {
  std::string name;  // "loss", "eval/exact_match"
  Value value;
};

/// The values known after `step` updates.
struct Record {
  std::int64_t step = 0;
  double wall_seconds = 0;  // since 1970
  std::vector<Entry> entries;
};

/// Returns `text` as a Markdown code block.
std::string markdown_code(std::string_view text);

}  // namespace meshwright::metrics
