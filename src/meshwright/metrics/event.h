// SPDX-License-Identifier: Apache-2.0
// What a run tells about itself.
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

/// A mean, and over how much it was taken: a number of examples, or a sum of weights.
struct WeightedScalar {
  double mean = 0;
  double weight = 0;
  bool operator==(const WeightedScalar&) const = default;
};

/// Numbers whose histogram is of interest. The bus makes it, since that may take a while.
struct Distribution {
  HostTensor values;
};

/// Shown as Markdown by TensorBoard.
struct Text {
  std::string text;
};

/// Pixels u8, or f32 from 0 to 1: [height width channel], or [image height width channel] for
/// several; with 1, 3 or 4 channels.
struct Image {
  HostTensor pixels;
};

/// The settings of the run that its results are compared by, one name each.
struct Settings {
  std::map<std::string, Scalar> values;
};

using Value = std::variant<double, WeightedScalar, Histogram, Distribution, Text, Image, Settings>;

struct Entry {
  std::string name;  // "loss", "eval/exact_match"
  Value value;
};

/// What is known after `step` updates.
struct Record {
  std::int64_t step = 0;
  double wall_seconds = 0;  // since 1970
  std::vector<Entry> entries;
};

/// `text` as a block of code in Markdown.
std::string markdown_code(std::string_view text);

}  // namespace meshwright::metrics
