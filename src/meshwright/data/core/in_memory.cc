// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/core/in_memory.h"

#include <cstring>

#include "meshwright/base/crc32c.h"
#include "meshwright/base/digest.h"

namespace meshwright::data {
namespace {

// Detects data that was swapped by accident. A checksum per array is fast enough for gigabytes.
std::string digest_of(const Batch& examples) {
  std::string text;
  for_each(examples, [&](const std::string& path, const HostTensor& tensor) {
    std::string_view bytes(reinterpret_cast<const char*>(tensor.data()), tensor.num_bytes());
    text += str(path, " ", tensor.type(), " ", crc32c(bytes), "\n");
  });
  return digest_hex(text).substr(0, 16);
}

HostTensor gather_rows(const HostTensor& all, const std::vector<std::int64_t>& indices) {
  ArrayType type = all.type();
  type.dims[0] = std::ssize(indices);
  HostTensor out(type);  // zeros, which also serve as padding
  const std::size_t row_bytes = all.num_bytes() / static_cast<std::size_t>(all.dims()[0]);
  std::byte* to = out.mutable_data();
  for (std::int64_t index : indices) {
    if (index != EpochOrder::kPadding)
      std::memcpy(to, all.data() + static_cast<std::size_t>(index) * row_bytes, row_bytes);
    to += row_bytes;
  }
  return out;
}

}  // namespace

InMemorySource::InMemorySource(Batch examples,
                               const Tree<std::vector<std::string>>& axes,
                               InMemoryOptions options)
    : examples_(std::move(examples)), options_(std::move(options)), digest_(digest_of(examples_)) {
  auto spec_of = [](const HostTensor& tensor, const std::vector<std::string>& names) {
    return ArraySpec{tensor.type(), names};
  };
  spec_ = map(examples_, axes, spec_of);
  // So far, the spec describes all examples as one large batch.
  order_.emplace(meshwright::data::batch_size(*this), options_);
  spec_ = map(spec_, [&](ArraySpec spec) {
    spec.type.dims[0] = options_.batch_size;
    return spec;
  });
  if (options_.remainder == Remainder::pad)
    spec_[kExampleWeight] = array_spec(f32, {options_.batch_size}, "batch");
}

Tree<Scalar> InMemorySource::identity() const {
  Tree<Scalar> out;
  out["contents"] = Scalar(digest_);
  order_->add_to(out);
  return out;
}

Batch InMemorySource::batch(std::int64_t step, Rows rows) const {
  const std::vector<std::int64_t> indices = order_->examples(step, rows);
  Batch out = map(examples_, [&](const HostTensor& all) { return gather_rows(all, indices); });
  if (options_.remainder == Remainder::pad) out[kExampleWeight] = example_weights(indices);
  return out;
}

SourcePtr in_memory(const std::vector<InMemoryArray>& arrays, InMemoryOptions options) {
  Batch examples;
  Tree<std::vector<std::string>> axes;
  for (const InMemoryArray& array : arrays) {
    const std::vector<std::string_view> names = array.axes.names();
    examples[array.name] = array.values;
    axes[array.name] = std::vector<std::string>(names.begin(), names.end());
  }
  return std::make_shared<InMemorySource>(std::move(examples), std::move(axes), std::move(options));
}

}  // namespace meshwright::data
