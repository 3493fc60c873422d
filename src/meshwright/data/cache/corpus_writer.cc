// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/cache/corpus_writer.h"

#include <algorithm>
#include <span>
#include <utility>

#include "meshwright/base/digest.h"
#include "meshwright/data/cache/part_info.h"

namespace meshwright::data {
namespace {

constexpr std::size_t kMaxDoublings = 20;

}  // namespace

CorpusWriter::CorpusWriter(io::FileSystem& folder,
                           const PartFormat& format,
                           std::int64_t part_tokens,
                           const CorpusPosition& begin,
                           std::vector<PartInfo>& parts)
    : folder_(folder), format_(format), part_tokens_(part_tokens), parts_(parts), position_(begin) {
  begin_part();
}

void CorpusWriter::begin_part() {
  writer_.emplace(folder_, parts_.size(), format_, position_);
  files_ = {{.digest = position_.file_digest}};
}

std::int64_t CorpusWriter::part_limit() const {
  return part_tokens_ << std::min(parts_.size() / kPartsOfOneSize, kMaxDoublings);
}

void CorpusWriter::end_part() {
  parts_.push_back(writer_->finish(position_, std::move(files_)));
  writer_.reset();
}

bool CorpusWriter::append(const EncodedBatch& batch,
                          std::size_t file,
                          const RecordCounts& counts_of_files) {
  enter_file(file, counts_of_files);
  std::int64_t room = part_limit() - writer_->num_tokens();
  std::size_t begin = 0;
  auto rejected = batch.rejected.begin();
  for (std::size_t i = 0; i < batch.documents.size(); ++i) {
    for (; rejected != batch.rejected.end() && rejected->num_before <= i; ++rejected)
      ++position_.num_rejected;
    count(batch.documents[i]);
    const std::int64_t appended = begin == 0 ? 0 : batch.documents[begin - 1].end;
    if (batch.documents[i].end - appended < room) continue;
    writer_->append(batch, begin, i + 1);
    end_part();
    if (part_follows()) return false;
    begin_part();
    begin = i + 1;
    room = part_limit();
  }
  position_.num_rejected += batch.rejected.end() - rejected;
  writer_->append(batch, begin, batch.documents.size());
  return true;
}

void CorpusWriter::enter_file(std::size_t file, const RecordCounts& counts_of_files) {
  if (file == position_.file) return;
  position_ = {
      .file = file, .num_rejected = position_.num_rejected, .counts_of_files = counts_of_files};
  files_.resize(file - writer_->begin().file + 1);
}

void CorpusWriter::count(const EncodedDocument& document) {
  const std::uint64_t both[] = {position_.file_digest, document.digest};
  position_.file_digest = digest64(io::as_text(std::as_bytes(std::span(both))));
  position_.num_records = document.place.number + 1;
  ++files_.back().num_documents;
  files_.back().digest = position_.file_digest;
}

bool CorpusWriter::part_follows() const {
  const std::optional<PartInfo> next = find_part_info(folder_, parts_.size());
  return next && next->begin == position_;
}

void CorpusWriter::finish(std::size_t num_files, const RecordCounts& counts) {
  enter_file(num_files, counts);
  files_.resize(num_files - writer_->begin().file);
  end_part();
}

}  // namespace meshwright::data
