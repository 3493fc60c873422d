// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/text/for_each_document.h"

#include <optional>
#include <vector>

#include "meshwright/data/text/document_rules.h"
#include "meshwright/data/text/encoded_reader.h"
#include "meshwright/data/text/record_files.h"

namespace meshwright::data {

RecordCounts for_each_document(const TextConfig& config,
                               const std::shared_ptr<const tokenizers::Tokenizer>& tokenizer,
                               const UseDocument& use) {
  const Frame frame = document_frame(config, *tokenizer);
  const RecordEncoderPtr encoder = record_encoder(config, tokenizer);
  RecordCounts counts;
  std::int64_t num_accepted = 0;
  std::vector<tokenizers::Id> framed;
  for (const RecordFiles& part : record_files(config, config.path)) {
    EncodedReader reader(part, encoder, config.tokenizer_threads.value_or(0));
    while (const std::optional<EncodedRecords> batch = reader.next()) {
      batch->for_each_document([&](const Record& record, auto tokens, auto) {
        framed.clear();
        if (frame.before) framed.push_back(*frame.before);
        framed.insert(framed.end(), tokens.begin(), tokens.end());
        if (frame.after) framed.push_back(*frame.after);
        use(record, framed);
        ++num_accepted;
      });
    }
    counts += reader.reader().counts();
  }
  // The reader has accepted the records that the encoder rejected.
  counts.corrupt += counts.accepted - num_accepted;
  counts.accepted = num_accepted;
  return counts;
}

}  // namespace meshwright::data
