// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/cache/file_encoder.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/base/str.h"
#include "meshwright/base/task_group.h"
#include "meshwright/data/cache/encoded_batch.h"
#include "meshwright/data/cache/part_writer.h"
#include "meshwright/data/records/record_reader.h"

namespace meshwright::data {
namespace {

// A file is small if it has at most kSmallBytes, or at most 1 / kSmallPerThread of the bytes that
// each thread encodes.
constexpr std::int64_t kSmallBytes = 1 << 20;
constexpr std::int64_t kSmallPerThread = 8;

// Encodes batches on several threads and returns them in order.
class OrderedEncoder {
 public:
  OrderedEncoder(const RecordEncoder& encoder, int num_threads)
      : encoder_(encoder),
        max_waiting_(2 * static_cast<std::size_t>(num_threads)),
        threads_(num_threads) {}

  bool is_full() const { return waiting_.size() == max_waiting_; }
  bool is_empty() const { return waiting_.empty(); }
  void push(RecordBatch batch) {
    auto task = std::make_shared<std::packaged_task<EncodedBatch()>>(
        [this, moved = std::move(batch)] { return encode(moved, encoder_); });
    waiting_.push_back(task->get_future());
    threads_.run([task] { (*task)(); });
  }
  // Returns the oldest batch, or throws its error.
  EncodedBatch pop() {
    std::future<EncodedBatch> first = std::move(waiting_.front());
    waiting_.pop_front();
    return first.get();
  }
  void join() { threads_.join(); }

 private:
  const RecordEncoder& encoder_;
  const std::size_t max_waiting_;
  std::deque<std::future<EncodedBatch>> waiting_;
  TaskGroup threads_;
};

class FileEncoder {
 public:
  FileEncoder(const Build& build, std::size_t part, int num_threads)
      : build_(build),
        file_(build.inputs[part]),
        settings_(with(build.records, build.account.num_skippable(), num_threads)),
        writer_(build.folder, part, token_format(build.encoder)) {}

  PartInfo run(int num_threads) {
    RecordReader reader({file_}, settings_);
    if (num_threads == 1)
      encode_here(reader);
    else
      encode_on_threads(reader, num_threads);
    check_unchanged(file_);
    RecordCounts counts = reader.counts();
    if (!build_.account.skip(counts.corrupt)) fail_corrupt(counts.corrupt);
    counts.accepted -= num_rejected_;
    counts.corrupt += num_rejected_;
    PartInfo out = writer_.finish(counts);
    build_.account.add_file(file_.num_bytes);
    return out;
  }

 private:
  static RecordSettings with(RecordSettings settings, std::int64_t skip_corrupt, int num_threads) {
    settings.skip_corrupt = skip_corrupt;
    // Reading a record takes a fraction of the time that encoding it takes.
    settings.num_threads = (num_threads + 3) / 4;
    return settings;
  }

  void encode_here(RecordReader& reader) {
    RecordBatch batch;
    while (reader.next_batch(batch))
      write(encode(batch, build_.encoder));
  }

  void encode_on_threads(RecordReader& reader, int num_threads) {
    OrderedEncoder encoder(build_.encoder, num_threads);
    std::exception_ptr error;
    while (std::optional<RecordBatch> batch = next_batch(reader, error)) {
      if (encoder.is_full()) write(encoder.pop());
      encoder.push(std::move(*batch));
    }
    // If encoding an earlier record fails, throws that error, as with one thread.
    while (!encoder.is_empty())
      write(encoder.pop());
    encoder.join();
    if (error) std::rethrow_exception(error);
  }

  // Returns nullopt at the end and after an error.
  static std::optional<RecordBatch> next_batch(RecordReader& reader, std::exception_ptr& error) {
    RecordBatch batch;
    try {
      if (reader.next_batch(batch)) return batch;
    } catch (...) {
      error = std::current_exception();
    }
    return std::nullopt;
  }

  void write(const EncodedBatch& batch) {
    for (const CorruptRecord& corrupt : batch.corrupt) {
      if (!build_.account.skip(1)) {
        fail(ErrorCode::data_loss, file_.path, ": record ", corrupt.number, " at byte ",
             corrupt.offset, ": ", corrupt.reason);
      }
      ++num_rejected_;
    }
    writer_.append(batch);
    build_.account.add(std::ssize(batch.documents), std::ssize(batch.content.tokens));
  }

  // Reads the file again to name the record that exceeds the number to skip. Other files or the
  // encoder have used up part of that number since the file was opened.
  [[noreturn]] void fail_corrupt(std::int64_t num_corrupt) const {
    RecordSettings settings = settings_;
    settings.skip_corrupt = std::min(build_.records.skip_corrupt, num_corrupt - 1);
    RecordReader reader({file_}, settings);
    RecordBatch batch;
    while (reader.next_batch(batch)) {
    }
    fail(ErrorCode::data_loss, file_.path, ": more than ", build_.records.skip_corrupt,
         " corrupt records");
  }

  const Build& build_;
  const DataFile& file_;
  const RecordSettings settings_;
  PartWriter writer_;
  std::int64_t num_rejected_ = 0;  // by the encoder
};

}  // namespace

PartInfo encode_file(const Build& build, std::size_t part, int num_threads) {
  return FileEncoder(build, part, num_threads).run(num_threads);
}

void encode_files(const Build& build,
                  const std::vector<std::size_t>& parts,
                  int num_threads,
                  std::vector<PartInfo>& infos) {
  std::int64_t num_bytes = 0;
  for (const std::size_t part : parts)
    num_bytes += build.inputs[part].num_bytes;
  const std::int64_t small = std::max(kSmallBytes, num_bytes / (kSmallPerThread * num_threads));
  std::vector<std::size_t> small_parts;
  for (const std::size_t part : parts) {
    if (num_threads > 1 && build.inputs[part].num_bytes <= small)
      small_parts.push_back(part);
    else
      infos[part] = encode_file(build, part, num_threads);
  }
  TaskGroup threads(num_threads);
  for (const std::size_t part : small_parts)
    threads.run([&build, &infos, part] { infos[part] = encode_file(build, part, 1); });
  threads.join();
}

}  // namespace meshwright::data
