// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/core/in_memory.h"

#include <cstring>

#include "meshwright/base/crc32c.h"
#include "meshwright/base/digest.h"
#include "meshwright/data/core/permutation.h"

namespace meshwright::data {
namespace {

constexpr std::int64_t kPadding = -1;

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
    if (index != kPadding)
      std::memcpy(to, all.data() + static_cast<std::size_t>(index) * row_bytes, row_bytes);
    to += row_bytes;
  }
  return out;
}

HostTensor example_weights(const std::vector<std::int64_t>& indices) {
  HostTensor out(ArrayType{f32, {std::ssize(indices)}});
  for (std::size_t i = 0; i < indices.size(); ++i)
    out.mutable_values<float>()[i] = indices[i] == kPadding ? 0.0f : 1.0f;
  return out;
}

std::int64_t round_down(std::int64_t value, std::int64_t multiple) {
  return value / multiple * multiple;
}

}  // namespace

InMemorySource::InMemorySource(Batch examples,
                               const Tree<std::vector<std::string>>& axes,
                               InMemoryOptions options)
    : examples_(std::move(examples)), options_(std::move(options)), digest_(digest_of(examples_)) {
  const std::int64_t size = options_.batch_size;
  MW_CHECK(size > 0, "data: ", options_.name, ": batch size is ", size, ", expected at least 1");
  auto spec_of = [](const HostTensor& tensor, const std::vector<std::string>& names) {
    return ArraySpec{tensor.type(), names};
  };
  spec_ = map(examples_, axes, spec_of);
  // So far, the spec describes all examples as one large batch
  num_examples_ = meshwright::data::batch_size(*this);
  MW_CHECK(num_examples_ > 0, "data: ", options_.name, ": no examples");
  spec_ = map(spec_, [&](ArraySpec spec) {
    spec.type.dims[0] = size;
    return spec;
  });
  epoch_length_ = num_examples_;
  if (options_.remainder == Remainder::drop) {
    epoch_length_ = round_down(num_examples_, size);
    MW_CHECK(epoch_length_ > 0, "data: ", options_.name, ": ", num_examples_,
             " examples do not fill a batch of ", size, ", and the remainder is dropped");
  } else if (options_.remainder == Remainder::pad) {
    epoch_length_ = round_down(num_examples_ + size - 1, size);
    spec_[kExampleWeight] = array_spec(f32, {size}, "batch");
  }
}

std::optional<std::int64_t> InMemorySource::num_batches() const {
  if (!options_.num_epochs) return std::nullopt;
  return epoch_length_ * *options_.num_epochs / options_.batch_size;
}

std::optional<double> InMemorySource::batches_per_epoch() const {
  return static_cast<double>(epoch_length_) / static_cast<double>(options_.batch_size);
}

Tree<Scalar> InMemorySource::identity() const {
  Tree<Scalar> out;
  out["batch_size"] = Scalar(options_.batch_size);
  out["contents"] = Scalar(digest_);
  out["remainder"] = Scalar(static_cast<std::int64_t>(options_.remainder));
  out["shuffle"] = Scalar(options_.shuffle);
  if (options_.shuffle) out["seed"] = Scalar(options_.seed);
  return out;
}

std::vector<std::int64_t> InMemorySource::examples_of(std::int64_t step, Rows rows) const {
  std::vector<std::int64_t> out;
  out.reserve(static_cast<std::size_t>(rows.size()));
  const threefry::KeyWords key = threefry::key(options_.seed, threefry::SeedWidth::bits64);
  std::optional<Permutation> order;
  std::int64_t order_epoch = -1;
  for (std::int64_t row = rows.start; row < rows.stop; ++row) {
    const std::int64_t position = step * options_.batch_size + row;
    const std::int64_t epoch = position / epoch_length_;
    const std::int64_t within = position % epoch_length_;
    if (within >= num_examples_) {
      out.push_back(kPadding);
      continue;
    }
    if (options_.shuffle && order_epoch != epoch) {
      order.emplace(threefry::block(key, static_cast<std::uint64_t>(epoch)), num_examples_);
      order_epoch = epoch;
    }
    out.push_back(order ? (*order)(within) : within);
  }
  return out;
}

Batch InMemorySource::batch(std::int64_t step, Rows rows) const {
  const std::vector<std::int64_t> indices = examples_of(step, rows);
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
