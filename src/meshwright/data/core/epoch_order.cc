// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/core/epoch_order.h"

#include <algorithm>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/threefry.h"

namespace meshwright::data {
namespace {

std::int64_t round_down(std::int64_t value, std::int64_t multiple) {
  return value / multiple * multiple;
}

}  // namespace

EpochOrder::EpochOrder(std::int64_t num_examples, EpochOptions options)
    : num_examples_(num_examples), options_(std::move(options)), epoch_length_(num_examples) {
  const std::string& name = options_.name;
  const std::int64_t size = options_.batch_size;
  MW_CHECK(size > 0, "data: ", name, ": batch size is ", size, ", expected at least 1");
  MW_CHECK(options_.shuffle_window.value_or(1) > 0, "data: ", name, ": the shuffle window is ",
           options_.shuffle_window.value_or(1), ", expected at least 1");
  MW_CHECK(num_examples_ > 0, "data: ", name, ": no examples");
  if (options_.remainder == Remainder::drop) {
    epoch_length_ = round_down(num_examples_, size);
    MW_CHECK(epoch_length_ > 0, "data: ", name, ": ", num_examples_,
             " examples do not fill a batch of ", size, ", and the remainder is dropped");
  } else if (options_.remainder == Remainder::pad) {
    epoch_length_ = round_down(num_examples_ + size - 1, size);
  }
}

std::optional<std::int64_t> EpochOrder::num_batches() const {
  if (!options_.num_epochs) return std::nullopt;
  return epoch_length_ * *options_.num_epochs / options_.batch_size;
}

double EpochOrder::batches_per_epoch() const {
  return static_cast<double>(epoch_length_) / static_cast<double>(options_.batch_size);
}

void EpochOrder::add_to(Tree<Scalar>& identity) const {
  identity["batch_size"] = Scalar(options_.batch_size);
  identity["remainder"] = Scalar(static_cast<std::int64_t>(options_.remainder));
  identity["shuffle"] = Scalar(options_.shuffle);
  if (options_.shuffle) identity["seed"] = Scalar(options_.seed);
  if (options_.shuffle && options_.shuffle_window)
    identity["shuffle_window"] = Scalar(*options_.shuffle_window);
}

std::vector<std::int64_t> EpochOrder::examples(std::int64_t step, Rows rows) const {
  std::vector<std::int64_t> out;
  out.reserve(static_cast<std::size_t>(rows.size()));
  std::optional<Window> window;
  for (std::int64_t row = rows.start; row < rows.stop; ++row) {
    const std::int64_t position = step * options_.batch_size + row;
    const std::int64_t epoch = position / epoch_length_;
    const std::int64_t within = position % epoch_length_;
    if (within >= num_examples_) {
      out.push_back(kPadding);
      continue;
    }
    if (!options_.shuffle) {
      out.push_back(within);
      continue;
    }
    const bool is_inside = window && window->epoch == epoch && within >= window->first &&
                           within < window->first + window->order.size();
    if (!is_inside) window = window_of(epoch, within);
    out.push_back(window->first + window->order(within - window->first));
  }
  return out;
}

EpochOrder::Window EpochOrder::window_of(std::int64_t epoch, std::int64_t within) const {
  threefry::KeyWords key = threefry::key(options_.seed, threefry::SeedWidth::bits64);
  key = threefry::block(key, static_cast<std::uint64_t>(epoch));
  if (!options_.shuffle_window) return {epoch, 0, {key, num_examples_}};
  const std::int64_t length = *options_.shuffle_window;
  const std::int64_t number = within / length, first = number * length;
  key = threefry::block(key, static_cast<std::uint64_t>(number));
  return {epoch, first, {key, std::min(length, num_examples_ - first)}};
}

HostTensor example_weights(const std::vector<std::int64_t>& examples) {
  HostTensor out(ArrayType{f32, {std::ssize(examples)}});
  for (std::size_t i = 0; i < examples.size(); ++i)
    out.mutable_values<float>()[i] = examples[i] == EpochOrder::kPadding ? 0.0f : 1.0f;
  return out;
}

}  // namespace meshwright::data
