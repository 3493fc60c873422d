// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/report/data_use.h"

#include <optional>
#include <string>

#include "meshwright/base/str.h"

namespace meshwright::train {
namespace {

void add(const std::string& group,
         std::int64_t num_examples,
         std::optional<double> num_epochs,
         std::vector<metrics::Entry>& out) {
  out.push_back({str(group, "/examples"), static_cast<double>(num_examples)});
  if (num_epochs) out.push_back({str(group, "/epochs"), *num_epochs});
}

}  // namespace

std::vector<metrics::Entry> data_use(const data::Source& source, std::int64_t num_batches) {
  std::vector<metrics::Entry> out;
  const std::int64_t num_examples = num_batches * data::batch_size(source);
  add("data", num_examples, data::passes(source, num_examples), out);
  for (const data::PartUse& use : source.uses(num_batches))
    add(str("data/", use.part), use.num_examples, use.num_epochs, out);
  return out;
}

}  // namespace meshwright::train
