// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/convert/average.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/tensor/float_cast.h"

namespace meshwright::checkpoint {
namespace {

class MeanSource : public ArraySource {
 public:
  explicit MeanSource(std::vector<StoredArray> arrays) : arrays_(std::move(arrays)) {}

  Dims chunk() const override { return arrays_.back().chunk(); }
  bool reads_parts() const override {
    return std::ranges::all_of(arrays_, &StoredArray::reads_parts);
  }
  void check(const Ranges& part) const override {
    for (const StoredArray& array : arrays_)
      array.check(part);
  }
  void read(const Ranges& part, const io::zarr::Target& target) const override {
    HostTensor sum(ArrayType{f64, sizes_of(part)});
    const std::span<double> sums = sum.mutable_values<double>();
    for (const StoredArray& array : arrays_) {
      const HostTensor value = float_cast(array.read(part), f64);
      const std::span<const double> values = value.values<double>();
      for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] += values[i];
    }
    for (double& value : sums)
      value /= static_cast<double>(arrays_.size());
    const DType dtype = arrays_.back().type().dtype;
    const HostTensor mean = float_cast(sum, dtype);
    copy_overlap(mean.data(), part, target.data, target.ranges, byte_size(dtype));
  }

 private:
  std::vector<StoredArray> arrays_;
};

}  // namespace

Stored average_of(const std::vector<Stored>& all) {
  MW_CHECK(!all.empty(), "average: there is no checkpoint");
  Stored out = all.back();
  const auto type_of = [](const StoredArray& array) { return array.type(); };
  const auto compare = [](const ArrayType& a, const ArrayType& b) {
    return a == b ? "" : str(a, " and ", b);
  };
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const std::string first = str("checkpoint ", i + 1), last = str("checkpoint ", all.size());
    const std::vector<std::string> found =
        differences(map(all[i].arrays, type_of), map(out.arrays, type_of), compare, first, last);
    MW_CHECK(found.empty(), "average: the checkpoints differ:\n  ", join(found, "\n  "));
  }
  out.arrays = map(out.arrays, [&](const std::string& path, const StoredArray& last) {
    if (!is_float(last.type().dtype)) return last;
    std::vector<StoredArray> arrays;
    for (const Stored& stored : all)
      arrays.push_back(stored.arrays.at(path).value());
    return StoredArray(last.type(), std::make_shared<MeanSource>(std::move(arrays)));
  });
  return out;
}

}  // namespace meshwright::checkpoint
