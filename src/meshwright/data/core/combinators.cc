// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/core/combinators.h"

#include <utility>

#include "meshwright/data/core/forwarding_source.h"

namespace meshwright::data {
namespace {

class Mapped : public ForwardingSource {
 public:
  Mapped(SourcePtr source, BatchMap map) : source_(std::move(source)), map_(std::move(map)) {
    MW_CHECK(batch_size(*this) == batch_size(*source_), "data: ", name(), " has batch size ",
             batch_size(*this), ", its source ", batch_size(*source_));
  }

  std::string name() const override { return str(map_.name, "(", source_->name(), ")"); }
  const BatchSpec& spec() const override { return map_.spec; }
  Batch batch(std::int64_t step, Rows rows) const override {
    Batch out = map_.function(source_->batch(step, rows));
    check_batch(*this, out, rows.size());
    return out;
  }

 protected:
  const Source& source() const override { return *source_; }

 private:
  SourcePtr source_;
  BatchMap map_;
};

// Keeps the name and identity of the source, since the data is the same: a run can later be
// extended.
class Taken : public ForwardingSource {
 public:
  Taken(SourcePtr source, std::int64_t num_batches)
      : source_(std::move(source)), num_batches_(num_batches) {
    MW_CHECK(num_batches >= 0 && num_batches <= source_->num_batches().value_or(num_batches),
             "data: cannot take ", num_batches, " batches of ", source_->name(), ", which has ",
             source_->num_batches().value_or(0));
  }

  std::optional<std::int64_t> num_batches() const override { return num_batches_; }

 protected:
  const Source& source() const override { return *source_; }

 private:
  SourcePtr source_;
  std::int64_t num_batches_;
};

}  // namespace

SourcePtr mapped(SourcePtr source, BatchMap map) {
  return std::make_shared<Mapped>(std::move(source), std::move(map));
}

SourcePtr taken(SourcePtr source, std::int64_t num_batches) {
  return std::make_shared<Taken>(std::move(source), num_batches);
}

}  // namespace meshwright::data
