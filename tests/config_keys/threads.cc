// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "meeting.h"
#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/cli/job.h"
#include "meshwright/io/faulty_file_system.h"
#include "meshwright/io/memory_file_system.h"
#include "meshwright/train/trainer/run.h"
#include "meshwright/train/trainer/train_testutil.h"
#include "runs.h"

namespace meshwright::config_keys {
namespace {

checkpoint::Contents large_contents() {
  checkpoint::Contents out{.step = 1};
  for (const char* name : {"a", "b", "c", "d"}) {
    const ArrayType type{DType::f32, {1 << 20}};
    HostTensor ones(type);  // zeros need no file
    std::ranges::fill(ones.mutable_values<float>(), 1.0F);
    const checkpoint::Part whole{whole_ranges(type.dims), std::move(ones)};
    out.arrays[str("model/", name)] = checkpoint::ArrayParts{type, {whole}};
  }
  return out;
}

}  // namespace

std::string savers(const cli::RunConfig& config) {
  Meeting meeting;
  io::Fault fault;
  fault.before = [&](const io::FileCall& call) {
    // One thread writes the metadata of all arrays first.
    const bool is_metadata = call.path.ends_with("/.zarray");
    if (call.kind == io::FileCall::Kind::append && !is_metadata) meeting.join();
  };
  checkpoint::Manager manager({.saving = config.train.checkpoint.saving,
                               .files = std::make_shared<io::FaultyFileSystem>(
                                   std::make_shared<io::MemoryFileSystem>(), std::move(fault))});
  manager.save(large_contents());
  manager.finish();
  return meeting.text();
}

std::string makers_of_batches(const cli::RunConfig& config) {
  Meeting meeting;
  const runtime::Client& client = train::caching_client();
  train::Job job = cli::make_job(config, client.devices());
  const auto join = [&](const data::Batch& batch) {
    meeting.join();
    return batch;
  };
  job.source = data::mapped(job.source, {"met", job.source->spec(), join});
  const io::TemporaryFolder folder;
  job.config.dir = folder.path().string();
  (void)train::run(job, client);
  return meeting.text();
}

}  // namespace meshwright::config_keys
