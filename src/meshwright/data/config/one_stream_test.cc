// SPDX-License-Identifier: Apache-2.0
// Any number of processes, stopped and resumed at any steps, read one stream of batches.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "meshwright/base/log.h"
#include "meshwright/base/threefry.h"
#include "meshwright/config/config.h"
#include "meshwright/data/config/source_config.h"
#include "meshwright/data/core/source_testutil.h"
#include "meshwright/data/core/state.h"
#include "meshwright/data/pipeline/prefetcher.h"
#include "meshwright/data/records/records_testutil.h"

namespace meshwright::data {
namespace {

constexpr std::int64_t kNumBatches = 40;
constexpr int kNumProcesses[] = {1, 2, 3, 4, 8};

struct Holder {
  SourceConfig data;
  void fields(auto& f) { f.required("data", data, "for tests"); }
};

class OneStream : public testing::Test {
 protected:
  OneStream() {
    for (const char* name : {"web", "code"}) {
      std::string lines;
      for (int i = 0; i < 300; ++i)
        lines += str("{\"text\": \"", name, " ", i, " ",
                     std::string(static_cast<std::size_t>(i * 7 % 90), 'x'), "\"}\n");
      folder_.write(str(name, ".jsonl"), lines);
    }
  }
  std::string text(const std::string& name, const std::string& settings) const {
    return str("type='text'\npath='", folder_.path(name), "'\ncache='", folder_.path("cache"),
               "'\nlength=24\n", settings);
  }
  // Opens everything again, as a new process does.
  SourcePtr open(const std::string& toml) const {
    const SourceConfig config = config::from_toml<Holder>("[data]\n" + toml).data;
    const RunData run = open_run_data(config, 7, folder_.path("run"));
    return without(make_source(config, run), skipped_batches(config));
  }

  void expect_one_stream(const std::string& toml) const {
    const SourcePtr whole = open(toml);
    std::vector<Batch> expected;
    for (std::int64_t step = 0; step < kNumBatches; ++step)
      expected.push_back(whole_batch(*whole, step));
    for (std::uint32_t seed = 0; seed < 5; ++seed)
      EXPECT_TRUE(std::ranges::equal(read_in_sessions(toml, seed), expected, is_same)) << toml;
  }

  // Reads the batches in sessions that end at random steps, each on another number of processes.
  std::vector<Batch> read_in_sessions(const std::string& toml, std::uint32_t seed) const {
    const threefry::KeyWords key = threefry::key(seed);
    std::vector<Batch> out;
    State saved;
    for (std::uint32_t session = 0; std::ssize(out) < kNumBatches; ++session) {
      const int num_processes = kNumProcesses[(seed + session) % std::size(kNumProcesses)];
      const SourcePtr source = open(toml);
      const std::int64_t begin =
          session == 0 ? 0 : num_batches_used(*source, saved, OnOtherData::refuse);
      EXPECT_EQ(begin, std::ssize(out));
      const std::int64_t end =
          std::min(kNumBatches, begin + 1 + threefry::bits32(key, session) % 15);
      read(*source, begin, end, num_processes, out);
      saved = state(*source, end);
    }
    return out;
  }

  static void read(const Source& source,
                   std::int64_t begin,
                   std::int64_t end,
                   int num_processes,
                   std::vector<Batch>& out) {
    const SourcePtr shared(&source, [](const Source*) {});
    std::vector<std::unique_ptr<Prefetcher>> processes;
    for (int process = 0; process < num_processes; ++process)
      processes.push_back(std::make_unique<Prefetcher>(
          shared,
          PrefetchOptions{.first_step = begin,
                          .rows = rows_of_process(batch_size(source), process, num_processes),
                          .num_threads = 2}));
    for (std::int64_t step = begin; step < end; ++step) {
      std::vector<Batch> shares;
      for (const auto& process : processes)
        shares.push_back(process->next().value());
      out.push_back(joined(source, shares));
    }
  }

  static Batch joined(const Source& source, const std::vector<Batch>& shares) {
    Batch out = map(source.spec(), [](const ArraySpec& spec) { return HostTensor(spec.type); });
    std::size_t share = 0;
    for (const Batch& batch : shares) {
      for_each(batch, [&](const std::string& path, const HostTensor& rows) {
        std::memcpy(out.at(path).value().mutable_data() + share * rows.num_bytes(), rows.data(),
                    rows.num_bytes());
      });
      ++share;
    }
    return out;
  }

  DataFolder folder_;
  ScopedLogHandler quiet_{[](Severity, std::string_view) {}};
};

TEST_F(OneStream, OfText) {
  for (const char* rows : {"rows='concatenated'\n", "rows='packed'\ncontext='document'\n",
                           "rows='single'\n", "shuffle_window=17\n", "skip_steps=[2,'9-20']\n"})
    expect_one_stream(text("web.jsonl", str("batch_size=24\n", rows)));
}

TEST_F(OneStream, OfMixtures) {
  const std::string parts = "[data.parts.web]\n" + text("web.jsonl", "weight=5\n") +
                            "[data.parts.code]\n" +
                            text("code.jsonl", "weight=1.3\nshuffle_window=10\n") +
                            "[data.parts.noise]\ntype='random_tokens'\nlength=24\n"
                            "vocab_size=200\nweight=0.4\n";
  const std::string mixture = "type='mixture'\nbatch_size=24\n";
  expect_one_stream(mixture + parts);
  expect_one_stream(mixture + "when_finished='drop'\nskip_steps=['0-3',30]\n" + parts);
}

}  // namespace
}  // namespace meshwright::data
