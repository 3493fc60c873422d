// SPDX-License-Identifier: Apache-2.0
// Internal to survey/: what the verification of a corpus finds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

#include "meshwright/data/documents/documents.h"
#include "meshwright/data/encoding/record_encoder.h"
#include "meshwright/data/survey/verify_corpus.h"
#include "meshwright/data/text/record_files.h"

namespace meshwright::data {

class FlawList {
 public:
  /// `max_flaws` are listed; more are counted.
  explicit FlawList(std::int64_t max_flaws) : max_flaws_(max_flaws) {}

  void add(CorpusFlaw flaw) {
    ++found.num_flaws;
    if (std::ssize(found.flaws) < max_flaws_) found.flaws.push_back(std::move(flaw));
  }
  void remark(CorpusFlaw remark) { found.remarks.push_back(std::move(remark)); }

  VerifiedCorpus found;

 private:
  std::int64_t max_flaws_;
};

/// Checks that the rows of the training data are made of the documents. Remarks on documents that
/// are too few for the settings.
void verify_rows(const TextConfig& config,
                 const DocumentsPtr& all,
                 std::int64_t seed,
                 FlawList& out);

/// Checks the token cache of these files, if there is one.
void verify_cache(const RecordFiles& part,
                  const RecordEncoder& encoder,
                  const std::filesystem::path& caches,
                  FlawList& out);

}  // namespace meshwright::data
