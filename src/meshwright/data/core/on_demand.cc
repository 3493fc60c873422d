// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/core/on_demand.h"

#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/base/lazy.h"
#include "meshwright/data/core/forwarding_source.h"

namespace meshwright::data {
namespace {

class OnDemand : public ForwardingSource {
 public:
  OnDemand(std::string name, BatchSpec spec, std::function<SourcePtr()> open)
      : name_(std::move(name)), spec_(std::move(spec)), source_(std::move(open)) {}

  std::string name() const override { return name_; }
  const BatchSpec& spec() const override { return spec_; }

 protected:
  const Source& source() const override { return *source_.get(); }

 private:
  std::string name_;
  BatchSpec spec_;
  Lazy<SourcePtr> source_;
};

class SpecOnly : public Source {
 public:
  SpecOnly(std::string name, BatchSpec spec) : name_(std::move(name)), spec_(std::move(spec)) {}

  std::string name() const override { return name_; }
  const BatchSpec& spec() const override { return spec_; }
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
