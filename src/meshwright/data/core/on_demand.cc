// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/core/on_demand.h"

#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/base/lazy.h"

namespace meshwright::data {
namespace {

class OnDemand : public Source {
 public:
  OnDemand(std::string name, BatchSpec spec, std::function<SourcePtr()> open)
      : name_(std::move(name)), spec_(std::move(spec)), source_(std::move(open)) {}

  std::string name() const override { return name_; }
  const BatchSpec& spec() const override { return spec_; }
  std::optional<std::int64_t> num_batches() const override { return source().num_batches(); }
  std::optional<double> batches_per_epoch() const override { return source().batches_per_epoch(); }
  Tree<Scalar> identity() const override { return source().identity(); }
  Batch batch(std::int64_t step, Rows rows) const override { return source().batch(step, rows); }

 private:
  const Source& source() const { return *source_.get(); }

  std::string name_;
  BatchSpec spec_;
  Lazy<SourcePtr> source_;
};

// Pretended length of an epoch: no schedule ends before it has begun.
constexpr double kManyBatches = 1e6;

class SpecOnly : public Source {
 public:
  SpecOnly(std::string name, BatchSpec spec) : name_(std::move(name)), spec_(std::move(spec)) {}

  std::string name() const override { return name_; }
  const BatchSpec& spec() const override { return spec_; }
  std::optional<double> batches_per_epoch() const override { return kManyBatches; }
  Tree<Scalar> identity() const override { return {}; }
  Batch batch(std::int64_t, Rows) const override {
    fail(ErrorCode::internal, "data: ", name_, " was not opened");
  }

 private:
  std::string name_;
  BatchSpec spec_;
};

}  // namespace

SourcePtr on_demand(std::string name, BatchSpec spec, std::function<SourcePtr()> open) {
  return std::make_shared<OnDemand>(std::move(name), std::move(spec), std::move(open));
}

SourcePtr spec_only(std::string name, BatchSpec spec) {
  return std::make_shared<SpecOnly>(std::move(name), std::move(spec));
}

}  // namespace meshwright::data
