// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>

#include "data/clock.h"
#include "data/commands.h"
#include "meshwright/base/check.h"
#include "meshwright/data/pipeline/prefetcher.h"
#include "meshwright/data/text/text_corpus.h"
#include "meshwright/runtime/client.h"

namespace meshwright::bench {

void feed_devices(std::span<const std::string> arguments) {
  MW_CHECK(arguments.size() == 5, "feed TOKENIZER FILE CACHE LENGTH THREADS");
  const runtime::Client client = runtime::open();
  const int num_threads = std::stoi(arguments[4]);
  data::TextConfig config;
  config.tokenizer = arguments[0];
  config.path = {{arguments[1]}};
  config.cache = arguments[2];
  config.length = std::stoll(arguments[3]);
  config.tokenizer_threads = num_threads;
  config.held_out = 0;
  config.num_epochs = 1;
  config.rows = data::RowKind::packed;
  config.context = data::Context::document;
  const Clock clock;
  const auto corpus = std::make_shared<const data::TextCorpus>(
      config, /*seed=*/0, /*run_folder=*/"", data::DataUse::batches);
  data::Prefetcher batches(corpus->training(), {.num_threads = num_threads});
  std::int64_t num_batches = 0;
  while (const std::optional<data::Batch> batch = batches.next()) {
    ++num_batches;
    for_each(*batch,
             [&](const std::string&, const HostTensor& array) { client.put(array).wait(); });
  }
  clock.print();
  std::printf("batches %lld\n", static_cast<long long>(num_batches));
}

}  // namespace meshwright::bench
