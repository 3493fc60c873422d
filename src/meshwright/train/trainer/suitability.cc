// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/trainer/suitability.h"

#include "meshwright/base/error_with_remedy.h"
#include "meshwright/data/core/state.h"
#include "meshwright/train/restore/match_arrays.h"

namespace meshwright::train {

std::vector<ConfigChange> changes_since(const checkpoint::Stored& stored, const Job& job) {
  return changes_since(stored, job.resolved_config, job.is_scheduled_by_max_step);
}

void check_suits(const checkpoint::Stored& stored, const Job& job, const StateLayout& layout) {
  const std::vector<ConfigChange> changes = changes_since(stored, job);
  check_arrays_suit(stored, layout, job.config.checkpoint.restore, changes_of_state(changes));
  const PrefetchConfig& config = job.config.prefetch;
  const checkpoint::Meta* data = stored.meta.find("data");
  if (data == nullptr || !config.resume || config.allow_other_data) return;
  try {
    (void)data::num_batches_used(*job.source, *data, data::OnOtherData::refuse);
  } catch (const Error& error) {
    fail_after(reason_of(changes_of_data(changes), stored.step), error);
  }
}

}  // namespace meshwright::train
