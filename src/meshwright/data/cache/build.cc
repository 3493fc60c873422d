// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/cache/build.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/base/ordered_tasks.h"
#include "meshwright/base/str.h"
#include "meshwright/data/cache/build_progress.h"
#include "meshwright/data/cache/corpus_writer.h"
#include "meshwright/data/cache/encoded_batch.h"
#include "meshwright/data/records/record_reader.h"

namespace meshwright::data {
namespace {

// Bytes of records that wait to be encoded or written, for each thread. Their tokens take up to
// five times as many.
constexpr std::size_t kBytesPerThread = std::size_t{1} << 20;

// A batch of records to encode, and its place in the corpus.
struct Work {
  RecordBatch batch = {};
  std::size_t file = 0;
  std::int64_t first_record = 0;      // to encode
  RecordCounts counts_of_files = {};  // of the files before
};

struct Result {
  EncodedBatch encoded = {};
  std::size_t file = 0;
  RecordCounts counts_of_files = {};
  std::vector<CorruptRecord> corrupt = {};  // that the reader skipped
};

Result encoded(const Work& work, const RecordEncoder& encoder) {
  const std::span<const CorruptRecord> corrupt = work.batch.corrupt();
  return {.encoded = encode(work.batch, encoder, work.first_record),
          .file = work.file,
          .counts_of_files = work.counts_of_files,
          .corrupt = {corrupt.begin(), corrupt.end()}};
}

std::int64_t num_corrupt(const CorpusPosition& position) {
  return position.counts_of_files.corrupt + position.num_rejected;
}

// Encodes the documents from a position on, up to the end of the corpus or a part that exists.
class Encoding {
 public:
  Encoding(const Build& build,
           const CorpusPosition& begin,
           BuildProgress& progress,
           std::vector<PartInfo>& parts)
      : build_(build),
        begin_(begin),
        progress_(progress),
        reader_(
            {build.inputs.begin() + static_cast<std::ptrdiff_t>(begin.file), build.inputs.end()},
            settings()),
        tasks_(build.num_threads, static_cast<std::size_t>(build.num_threads) * kBytesPerThread),
        writer_(build.folder, part_format(build.encoder), build.options.part_tokens, begin, parts),
        num_corrupt_(num_corrupt(begin)),
        file_(begin.file),
        counts_of_files_(begin.counts_of_files) {}

  void run() {
    while (std::shared_ptr<Work> work = next()) {
      while (tasks_.is_full())
        if (!write_one()) return;
      const std::size_t num_bytes = work->batch.num_bytes();
      tasks_.push([this, work] { return encoded(*work, build_.encoder); }, num_bytes);
    }
    // If encoding an earlier record fails, throws that error, as with one thread.
    while (!tasks_.is_empty())
      if (!write_one()) return;
    if (error_) std::rethrow_exception(error_);
    check_files_until(build_.inputs.size());
    writer_.finish(build_.inputs.size(), begin_.counts_of_files + reader_.counts());
  }

 private:
  RecordSettings settings() const {
    RecordSettings out = build_.records;
    out.skip_corrupt -= num_corrupt(begin_);
    // Reading a record takes a fraction of the time that encoding it takes.
    out.num_threads = (build_.num_threads + 3) / 4;
    return out;
  }

  // Returns null at the end and after an error.
  std::shared_ptr<Work> next() {
    auto out = std::make_shared<Work>();
    const RecordCounts before = reader_.counts();
    try {
      if (!reader_.next_batch(out->batch)) return nullptr;
    } catch (...) {
      error_ = std::current_exception();
      return nullptr;
    }
    out->file = begin_.file + out->batch.file();
    if (out->file != file_) {
      file_ = out->file;
      counts_of_files_ = begin_.counts_of_files + before;
    }
    out->first_record = out->file == begin_.file ? begin_.num_records : 0;
    out->counts_of_files = counts_of_files_;
    return out;
  }

  // Returns false if a part that exists follows.
  bool write_one() {
    const Result result = tasks_.pop();
    check_files_until(result.file);
    check_corrupt(result);
    const EncodedBatch& encoded = result.encoded;
    const bool goes_on = writer_.append(encoded, result.file, result.counts_of_files);
    progress_.add(std::ssize(encoded.documents), std::ssize(encoded.content.tokens));
    progress_.report(begin_.file, reader_.num_bytes_read());
    return goes_on;
  }

  // Files before this one have been read to their ends.
  void check_files_until(std::size_t file) {
    for (; num_checked_ + begin_.file < file; ++num_checked_)
      check_unchanged(build_.inputs[num_checked_ + begin_.file]);
  }

  // Counts the corrupt records of a batch, in order. Those that the reader skipped precede the
  // beginning of the part, too, since it reads the file again.
  void check_corrupt(const Result& result) {
    std::vector<CorruptRecord> all = result.corrupt;
    all.insert(all.end(), result.encoded.rejected.begin(), result.encoded.rejected.end());
    std::ranges::sort(all, {}, &CorruptRecord::number);
    for (const CorruptRecord& corrupt : all) {
      if (num_corrupt_ < build_.records.skip_corrupt) {
        ++num_corrupt_;
        continue;
      }
      const std::string skipped =
          num_corrupt_ == 0 ? "" : str(" (after ", num_corrupt_, " skipped records)");
      fail(ErrorCode::data_loss, build_.inputs[result.file].path, ": record ", corrupt.number,
           " at byte ", corrupt.offset, ": ", corrupt.reason, skipped);
    }
  }

  const Build& build_;
  const CorpusPosition begin_;
  BuildProgress& progress_;
  RecordReader reader_;
  OrderedTasks<Result> tasks_;
  CorpusWriter writer_;
  std::int64_t num_corrupt_;
  std::size_t num_checked_ = 0;  // files from begin_.file on
  std::size_t file_;             // of the last batch that was read
  RecordCounts counts_of_files_;
  std::exception_ptr error_;  // of the reader
};

}  // namespace

void check_num_corrupt(std::string_view folder, std::int64_t num_corrupt, std::int64_t limit) {
  if (num_corrupt <= limit) return;
  fail(ErrorCode::data_loss, folder, ": ", num_corrupt, " corrupt records of its input files were ",
       "skipped when the tokens were cached, but skip_corrupt is now ", limit);
}

std::vector<PartInfo> build_parts(const Build& build) {
  BuildProgress progress(build.options, build.inputs);
  std::vector<PartInfo> out;
  CorpusPosition end;
  do {
    std::optional<PartInfo> part = find_part(build.folder, out.size());
    if (part && part->begin == end && part->format == part_format(build.encoder)) {
      out.push_back(std::move(*part));
    } else {
      check_num_corrupt(build.folder.full_name(""), num_corrupt(end), build.records.skip_corrupt);
      Encoding(build, end, progress, out).run();
    }
    progress.set(out);
    end = out.back().end;
  } while (end.file < build.inputs.size());
  progress.report_end();
  return out;
}

}  // namespace meshwright::data
