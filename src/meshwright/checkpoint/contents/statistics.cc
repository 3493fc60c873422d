// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/contents/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>

#include "meshwright/checkpoint/contents/chunks.h"
#include "meshwright/checkpoint/contents/inspection.h"
#include "meshwright/checkpoint/contents/pieces.h"
#include "meshwright/checkpoint/contents/tasks.h"

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

// Combines means and variances without subtracting large numbers.
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

// Number of elements converted to doubles at once, however large a chunk is.
constexpr std::int64_t kSlice = std::int64_t{1} << 16;

// Returns consecutive elements of a tensor, without a copy.
HostTensor slice(const HostTensor& tensor, std::int64_t first, std::int64_t count) {
  auto whole = std::make_shared<HostTensor>(tensor);
  std::byte* data =
      whole->mutable_data() + static_cast<std::size_t>(first) * byte_size(tensor.dtype());
  return {{tensor.dtype(), {count}}, std::shared_ptr<std::byte>(std::move(whole), data)};
}

// Calls f(first, count) for each slice of at most kSlice elements.
template <typename F>
void for_each_slice(std::int64_t num_elements, const F& f) {
  for (std::int64_t at = 0; at < num_elements; at += kSlice)
    f(at, std::min(kSlice, num_elements - at));
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
    // Once NaN, the result stays NaN.
    if (std::isnan(apart) || apart > out.largest) out.largest = apart;
  }
}

// 64-bit integers are not exact as doubles, so they are compared as integers.
void add_unequal(const HostTensor& a, const HostTensor& b, ArrayDifference& out) {
  const std::size_t size = byte_size(a.dtype());
  for (std::size_t at = 0; at < a.num_bytes(); at += size)
    if (!std::ranges::equal(a.bytes().subspan(at, size), b.bytes().subspan(at, size)))
      ++out.num_different;
}

void add(ArrayDifference& to, const ArrayDifference& part) {
  to.num_different += part.num_different;
  if (std::isnan(part.largest) || part.largest > to.largest) to.largest = part.largest;
}

// Returns the difference of two slices that are known to have different bytes.
ArrayDifference slice_difference(const HostTensor& a,
                                 const HostTensor& b,
                                 const Tolerance& tolerance) {
  ArrayDifference out;
  add_differences(a.to_doubles(), b.to_doubles(), tolerance, out);
  const bool is_exact = tolerance.atol == 0 && tolerance.rtol == 0;
  if (out.num_different == 0 && is_exact && a.dtype() == b.dtype() && is_integer(a.dtype()))
    add_unequal(a, b, out);
  return out;
}

ArrayDifference tensor_difference(const HostTensor& a,
                                  const HostTensor& b,
                                  const Tolerance& tolerance) {
  ArrayDifference out;
  if (a.dtype() == b.dtype() && std::ranges::equal(a.bytes(), b.bytes())) return out;
  for_each_slice(a.num_elements(), [&](std::int64_t first, std::int64_t count) {
    add(out, slice_difference(slice(a, first, count), slice(b, first, count), tolerance));
  });
  return out;
}

std::uint64_t bytes_of(const ArrayType& type) {
  return static_cast<std::uint64_t>(type.num_bytes());
}

// Walks two arrays of one shape piece by piece: pairs each piece of the outer array with every
// piece of the inner array that overlaps it. How often an inner piece is read depends on both chunk
// grids.
class PairedPieces {
 public:
  PairedPieces(const StoredArray& a, const StoredArray& b)
      : a_(a), b_(b), a_bytes_(inspected_chunk_bytes(a)), b_bytes_(inspected_chunk_bytes(b)) {
    const double pairs = num_pairs();
    const double all_a = num_chunks(a) * static_cast<double>(a_bytes_);
    const double all_b = num_chunks(b) * static_cast<double>(b_bytes_);
    const double a_outside = all_a + pairs * static_cast<double>(b_bytes_);
    const double b_outside = all_b + pairs * static_cast<double>(a_bytes_);
    is_a_outside_ = a_outside <= b_outside;
    num_times_ = std::min(a_outside, b_outside) / std::max(all_a + all_b, 1.0);
  }

  /// Average number of times each byte is read.
  double num_times() const { return num_times_; }

  ArrayDifference difference(const Tolerance& tolerance, const ReadOptions& options) const {
    const StoredArray& outer = is_a_outside_ ? a_ : b_;
    const StoredArray& inner = is_a_outside_ ? b_ : a_;
    const std::uint64_t outer_bytes = is_a_outside_ ? a_bytes_ : b_bytes_;
    const std::uint64_t inner_bytes = is_a_outside_ ? b_bytes_ : a_bytes_;
    const Pieces pieces(whole_ranges(outer.type().dims), outer.chunk());
    ArrayDifference out;
    std::mutex mutex;
    const auto compare = [&](std::int64_t index) {
      const Part large{pieces.at(index), outer.read(pieces.at(index))};
      const Pieces within(large.ranges, inner.chunk());
      for (std::int64_t i = 0; i < within.size(); ++i) {
        const Ranges ranges = within.at(i);
        const HostTensor here = cut(large, ranges);
        const HostTensor there = inner.read(ranges);
        const ArrayDifference found = is_a_outside_ ? tensor_difference(here, there, tolerance)
                                                    : tensor_difference(there, here, tolerance);
        const std::lock_guard lock(mutex);
        add(out, found);
      }
    };
    inspect_each(pieces.size(), 2 * outer_bytes + 3 * inner_bytes,
                 threads_for(bytes_of(a_.type()), options.max_threads), compare);
    return out;
  }

 private:
  static double num_chunks(const StoredArray& array) {
    return static_cast<double>(Pieces(whole_ranges(array.type().dims), array.chunk()).size());
  }
  // Number of pairs of chunks, one of each array, that share elements.
  double num_pairs() const {
    const Dims& dims = a_.type().dims;
    const Dims a = a_.chunk(), b = b_.chunk();
    double out = 1;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const auto size = static_cast<double>(dims[d]);
      const double common = static_cast<double>(a[d]) / static_cast<double>(std::gcd(a[d], b[d])) *
                            static_cast<double>(b[d]);
      out *= std::ceil(size / static_cast<double>(a[d])) +
             std::ceil(size / static_cast<double>(b[d])) - std::ceil(size / common);
    }
    return out;
  }

  const StoredArray& a_;
  const StoredArray& b_;
  std::uint64_t a_bytes_, b_bytes_;
  bool is_a_outside_ = true;
  double num_times_ = 1;
};

// Compares the two arrays as a whole.
ArrayDifference whole_difference(const StoredArray& a,
                                 const StoredArray& b,
                                 const Tolerance& tolerance) {
  const std::uint64_t num_bytes = bytes_of(a.type()) + bytes_of(b.type()) +
                                  2 * std::max(inspected_chunk_bytes(a), inspected_chunk_bytes(b));
  const ByteBudget::Share share(inspection_budget(), num_bytes);
  return tensor_difference(a.read(), b.read(), tolerance);
}

ArrayDifference difference(const std::string& path,
                           const StoredArray& a,
                           const StoredArray& b,
                           const Tolerance& tolerance,
                           const ReadOptions& options) {
  constexpr std::uint64_t kSmall = std::uint64_t{32} << 20;
  constexpr double kMaxTimes = 16;
  const PairedPieces pieces(a, b);
  ArrayDifference out;
  if (pieces.num_times() > 2 && bytes_of(a.type()) <= kSmall) {
    out = whole_difference(a, b, tolerance);
  } else if (pieces.num_times() <= kMaxTimes) {
    out = pieces.difference(tolerance, options);
  } else {
    fail(ErrorCode::unimplemented, "'", path, "': chunks of ", a.chunk(), " and of ", b.chunk(),
         " cannot be compared without reading each of them ", std::ceil(pieces.num_times()),
         " times; the limit is ", kMaxTimes, "\nexclude the array");
  }
  out.path = path;
  out.num_elements = num_elements(a.type().dims);
  return out;
}

}  // namespace

Statistics statistics(const StoredArray& array, const ReadOptions& options) {
  Statistics out;
  std::mutex mutex;
  const Pieces pieces(whole_ranges(array.type().dims), array.chunk());
  const std::uint64_t num_bytes = 2 * inspected_chunk_bytes(array);
  const int num_threads = threads_for(bytes_of(array.type()), options.max_threads);
  inspect_each(pieces.size(), num_bytes, num_threads, [&](std::int64_t index) {
    const HostTensor piece = array.read(pieces.at(index));
    Statistics part;
    for_each_slice(piece.num_elements(), [&](std::int64_t first, std::int64_t count) {
      add(part, statistics_of(slice(piece, first, count).to_doubles()));
    });
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
