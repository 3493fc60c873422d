// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/text/encoded_reader.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>

#include "meshwright/base/error.h"

namespace meshwright::data {
namespace {

int num_cores() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// Reading a record takes a fraction of the time that encoding it takes.
RecordSettings with_threads(RecordSettings settings, int num_encoding) {
  settings.num_threads = (num_encoding + 3) / 4;
  return settings;
}

}  // namespace

EncodedReader::EncodedReader(const RecordFiles& part, RecordEncoderPtr encoder, int num_threads)
    : encoder_(std::move(encoder)),
      skip_corrupt_(part.settings.skip_corrupt),
      reader_(part.files, with_threads(part.settings, num_threads > 0 ? num_threads : num_cores())),
      tasks_(num_threads > 0 ? num_threads : num_cores()) {}

std::optional<EncodedRecords> EncodedReader::next() {
  fill();
  if (tasks_.is_empty()) {
    if (error_) std::rethrow_exception(error_);
    return std::nullopt;
  }
  EncodedRecords out = tasks_.pop();
  check_corrupt(out);
  return out;
}

void EncodedReader::fill() {
  while (!is_at_end_ && !tasks_.is_full()) {
    auto batch = std::make_shared<RecordBatch>();
    try {
      is_at_end_ = !reader_.next_batch(*batch);
    } catch (...) {
      error_ = std::current_exception();
      is_at_end_ = true;
    }
    if (is_at_end_) return;
    tasks_.push([this, batch] {
      EncodedBatch encoded = encode(*batch, *encoder_);
      return EncodedRecords{std::move(*batch), std::move(encoded)};
    });
  }
}

// The reader has counted its own corrupt records, but not those that the encoder rejects.
void EncodedReader::check_corrupt(const EncodedRecords& batch) {
  num_corrupt_ += std::ssize(batch.records.corrupt());
  for (const CorruptRecord& corrupt : batch.encoded.rejected) {
    if (++num_corrupt_ <= skip_corrupt_) continue;
    fail(ErrorCode::data_loss, reader_.files()[batch.records.file()].path, ": record ",
         corrupt.number, " at byte ", corrupt.offset, ": ", corrupt.reason);
  }
}

}  // namespace meshwright::data
