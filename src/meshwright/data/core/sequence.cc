// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/core/sequence.h"

#include <utility>

#include "meshwright/base/check.h"

namespace meshwright::data {
namespace {

class Sequence : public Source {
 public:
  explicit Sequence(std::vector<SourcePtr> sources) : sources_(std::move(sources)) {
    MW_CHECK(!sources_.empty(), "data: a sequence of no sources");
    for (const SourcePtr& source : sources_)
      MW_CHECK(source->spec() == spec(), "data: the batches of '", source->name(), "' and '",
               sources_.front()->name(), "' have different arrays");
  }

  std::string name() const override { return sources_.front()->name(); }
  const BatchSpec& spec() const override { return sources_.front()->spec(); }

  std::optional<std::int64_t> num_batches() const override {
    std::int64_t sum = 0;
    for (const SourcePtr& source : sources_)
      sum += num_batches_of(*source);
    return sum;
  }

  Tree<Scalar> identity() const override {
    Tree<Scalar> out;
    for (std::size_t i = 0; i < sources_.size(); ++i)
      out[str(i)] = sources_[i]->identity();
    return out;
  }

  Batch batch(std::int64_t step, Rows rows) const override {
    const Source& source = source_of(step);
    return source.batch(step, rows);
  }
  std::vector<RowPart> row_parts(std::int64_t step, std::int64_t row) const override {
    const Source& source = source_of(step);
    return source.row_parts(step, row);
  }
  std::string part_of_row(std::int64_t step, std::int64_t row) const override {
    const Source& source = source_of(step);
    return source.part_of_row(step, row);
  }

 private:
  // Makes `step` the number of the batch in the source that is returned.
  const Source& source_of(std::int64_t& step) const {
    for (const SourcePtr& source : sources_) {
      const std::int64_t num = num_batches_of(*source);
      if (step < num) return *source;
      step -= num;
    }
    fail(ErrorCode::invalid_argument, "data: ", name(), " has fewer batches");
  }

  static std::int64_t num_batches_of(const Source& source) {
    const std::optional<std::int64_t> num = source.num_batches();
    MW_CHECK(num, "data: '", source.name(), "' is endless, so nothing can follow it");
    return *num;
  }

  std::vector<SourcePtr> sources_;
};

}  // namespace

SourcePtr in_sequence(std::vector<SourcePtr> sources) {
  return std::make_shared<Sequence>(std::move(sources));
}

}  // namespace meshwright::data
