// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/statistics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>

#include "meshwright/base/task_group.h"
#include "meshwright/checkpoint/chunks.h"

namespace meshwright::checkpoint {
namespace {

std::size_t decade_of(double magnitude) {
  const double decade = std::floor(std::log10(magnitude)) - Statistics::kFirstDecade + 1;
  return static_cast<std::size_t>(
      std::clamp(decade, 0.0, static_cast<double>(Statistics::kNumDecades - 1)));
}

Statistics statistics_of(const std::vector<double>& values) {
  Statistics out{.num_elements = std::ssize(values),
                 .min = std::numeric_limits<double>::infinity(),
                 .max = -std::numeric_limits<double>::infinity()};
  double sum = 0;
  for (double value : values) {
    if (std::isnan(value)) {
      ++out.num_nan;
      continue;
    }
    out.min = std::min(out.min, value);
    out.max = std::max(out.max, value);
    if (std::isinf(value)) {
      ++out.num_infinite;
      continue;
    }
    sum += value;
    if (value == 0) {
      ++out.num_zero;
    } else {
      ++out.decades[decade_of(std::abs(value))];
    }
  }
  if (out.num_finite() == 0) return out;
  out.mean = sum / static_cast<double>(out.num_finite());
  double squares = 0;
  for (double value : values)
    if (std::isfinite(value)) squares += (value - out.mean) * (value - out.mean);
  out.variance = squares / static_cast<double>(out.num_finite());
  return out;
}

// Means and variances are put together without differences of large numbers.
void add(Statistics& to, const Statistics& part) {
  const auto here = static_cast<double>(to.num_finite());
  const auto there = static_cast<double>(part.num_finite());
  if (there > 0) {
    const double all = here + there;
    const double apart = part.mean - to.mean;
    to.variance = (to.variance * here + part.variance * there) / all +
                  apart * apart * (here / all) * (there / all);
    to.mean += apart * (there / all);
  }
  to.min = to.num_elements == 0 ? part.min : std::min(to.min, part.min);
  to.max = to.num_elements == 0 ? part.max : std::max(to.max, part.max);
  to.num_elements += part.num_elements;
  to.num_nan += part.num_nan;
  to.num_infinite += part.num_infinite;
  to.num_zero += part.num_zero;
  for (std::size_t i = 0; i < to.decades.size(); ++i)
    to.decades[i] += part.decades[i];
}

void add_differences(const std::vector<double>& a,
                     const std::vector<double>& b,
                     const Tolerance& tolerance,
                     ArrayDifference& out) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    const double apart = std::abs(a[i] - b[i]);
    if (apart <= tolerance.atol + tolerance.rtol * std::abs(b[i])) continue;
    ++out.num_different;
    // NaN stays once it is there.
    if (std::isnan(apart) || apart > out.largest) out.largest = apart;
  }
}

// Integers of 64 bits have no exact doubles, so they are compared as they are.
void add_unequal(const HostTensor& a, const HostTensor& b, ArrayDifference& out) {
  const std::size_t size = byte_size(a.dtype());
  for (std::size_t at = 0; at < a.num_bytes(); at += size)
    if (!std::ranges::equal(a.bytes().subspan(at, size), b.bytes().subspan(at, size)))
      ++out.num_different;
}

// How two pieces differ that are known not to be the same bytes.
void add_differences(const HostTensor& a,
                     const HostTensor& b,
                     const Tolerance& tolerance,
                     ArrayDifference& out) {
  const std::vector<double> left = a.to_doubles();
  const std::vector<double> right = b.to_doubles();
  add_differences(left, right, tolerance, out);
  const bool is_exact = tolerance.atol == 0 && tolerance.rtol == 0;
  if (out.num_different == 0 && is_exact && a.dtype() == b.dtype() && is_integer(a.dtype()))
    add_unequal(a, b, out);
}

// Calls `work` with each stored piece of the array, on several threads.
void for_each_piece(const StoredArray& array,
                    const ReadOptions& options,
                    const std::function<void(const Ranges&)>& work) {
  TaskGroup tasks(options.max_threads);
  for (const Ranges& piece : pieces_of(whole_ranges(array.type().dims), array.chunk()))
    tasks.run([&work, piece] { work(piece); });
  tasks.join();
}

ArrayDifference difference(const std::string& path,
                           const StoredArray& a,
                           const StoredArray& b,
                           const Tolerance& tolerance,
                           const ReadOptions& options) {
  ArrayDifference out{.path = path, .num_elements = num_elements(a.type().dims)};
  std::mutex mutex;
  for_each_piece(a, options, [&](const Ranges& piece) {
    const HostTensor left = a.read(piece);
    const HostTensor right = b.read(piece);
    if (left.dtype() == right.dtype() && std::ranges::equal(left.bytes(), right.bytes())) return;
    ArrayDifference found;
    add_differences(left, right, tolerance, found);
    const std::lock_guard lock(mutex);
    out.num_different += found.num_different;
    if (std::isnan(found.largest) || found.largest > out.largest) out.largest = found.largest;
  });
  return out;
}

}  // namespace

Statistics statistics(const StoredArray& array, const ReadOptions& options) {
  Statistics out;
  std::mutex mutex;
  for_each_piece(array, options, [&](const Ranges& piece) {
    const Statistics part = statistics_of(array.read(piece).to_doubles());
    const std::lock_guard lock(mutex);
    add(out, part);
  });
  return out;
}

std::vector<ArrayDifference> differing_arrays(const Stored& a,
                                              const Stored& b,
                                              const Tolerance& tolerance,
                                              const ReadOptions& options) {
  std::vector<ArrayDifference> out;
  for_each(a.arrays, [&](const std::string& path, const StoredArray& left) {
    const Tree<StoredArray>* right = b.arrays.find(path);
    if (right == nullptr || !right->is_leaf()) return;
    if (right->value().type().dims != left.type().dims) return;
    ArrayDifference found = difference(path, left, right->value(), tolerance, options);
    if (found.num_different > 0) out.push_back(std::move(found));
  });
  return out;
}

}  // namespace meshwright::checkpoint
