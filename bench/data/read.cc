// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "data/clock.h"
#include "data/commands.h"
#include "meshwright/base/check.h"
#include "meshwright/base/md5.h"
#include "meshwright/data/records/record_reader.h"

namespace meshwright::bench {

void read_records(std::span<const std::string> arguments) {
  MW_CHECK(arguments.size() == 2 || arguments.size() == 3, "read FILE THREADS [check]");
  data::RecordReader reader(data::find_data_files({arguments[0]}),
                            {.num_threads = std::stoi(arguments[1])});
  const bool check = arguments.size() == 3;
  std::size_t num_bytes = 0;
  std::string all;
  data::RecordBatch batch;
  const Clock clock;
  while (reader.next_batch(batch)) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const std::string_view text = batch.record(i).text();
      num_bytes += text.size();
      if (check) all += text;
    }
  }
  clock.print();
  std::printf("records %lld\nbytes %zu\n", static_cast<long long>(reader.counts().accepted),
              num_bytes);
  if (check) std::printf("digest %u\n", leading_word(md5(all)));
}

}  // namespace meshwright::bench
