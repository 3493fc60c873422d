// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/text/count_words.h"

#include <chrono>
#include <limits>
#include <mutex>
#include <string_view>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/task_group.h"
#include "meshwright/data/records/record_reader.h"

namespace meshwright::data {
namespace {

using tokenizers::WordCounts;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

/// The words of one thread.
class CountingSink final : public tokenizers::WordSink {
 public:
  void count(const tokenizers::Splitter& splitter, std::string_view text) {
    text_end_ = text.data() + text.size();
    splitter.split(text, *this);
    flush();
  }
  WordCounts take_words() { return std::exchange(words_, {}); }
  std::int64_t num_words() const { return num_words_; }

 private:
  void take(std::span<const std::string_view> batch) override {
    words_.add(batch, text_end_);
    num_words_ += std::ssize(batch);
  }

  WordCounts words_;
  std::int64_t num_words_ = 0;
  const char* text_end_ = nullptr;
};

std::int64_t num_bytes(const Record& record) {
  std::int64_t out = 0;
  for (const std::string_view field : record.fields)
    out += std::ssize(field);
  for (const Message& message : record.messages)
    out += std::ssize(message.content);
  return out;
}

bool has_blocks(const RecordSettings& settings) {
  const auto* text = std::get_if<TextFormat>(&settings.format);
  return text != nullptr && text->split == TextSplit::blocks;
}

/// Threads take batches of records in turn and count them at once.
class WordCounter {
 public:
  WordCounter(const tokenizers::Splitter& splitter, const WordCountOptions& options)
      : splitter_(splitter),
        options_(options),
        sinks_(static_cast<std::size_t>(options.num_threads)),
        threads_(options.num_threads) {}

  /// Reads at most `max_bytes` of text.
  void count(const std::vector<DataFile>& files, RecordSettings settings, std::int64_t max_bytes) {
    // Reading a record takes a fraction of the time that counting its words takes.
    settings.num_threads = (options_.num_threads + 3) / 4;
    has_blocks_ = has_blocks(settings);
    num_left_ = max_bytes;
    RecordReader reader(files, settings);
    for (CountingSink& sink : sinks_)
      threads_.run([this, &reader, &sink] { work(reader, sink); });
    threads_.join();
    counts_ += reader.counts();
  }

  CountedWords finish() && {
    CountedWords out;
    for (CountingSink& sink : sinks_) {
      amounts_.num_words += sink.num_words();
      WordCounts words = sink.take_words();
      if (out.words.size() == 0)
        out.words = std::move(words);
      else
        out.words.add(words);
    }
    out.amounts = amounts_;
    out.records = counts_;
    return out;
  }

 private:
  void work(RecordReader& reader, CountingSink& sink) {
    RecordBatch batch;
    while (const std::size_t num_records = next(reader, batch)) {
      for (std::size_t i = 0; i < num_records; ++i) {
        const Record record = batch.record(i);
        for (const std::string_view field : record.fields)
          sink.count(splitter_, field);
        for (const Message& message : record.messages)
          sink.count(splitter_, message.content);
      }
    }
  }

  // Returns the number of records of the batch to use; 0 at the end.
  std::size_t next(RecordReader& reader, RecordBatch& batch) {
    const std::lock_guard lock(mutex_);
    if (threads_.is_failed() || num_left_ <= 0 || !reader.next_batch(batch)) return 0;
    std::size_t out = 0;
    for (; out < batch.size() && num_left_ > 0; ++out) {
      const Record record = batch.record(out);
      const std::int64_t size = num_bytes(record);
      num_left_ -= size;
      amounts_.num_bytes += size;
      amounts_.num_documents += !has_blocks_ || record.number == 0 ? 1 : 0;
    }
    report();
    return out;
  }

  void report() {
    const Clock::time_point now = Clock::now();
    if (!options_.progress || now - reported_ < std::chrono::seconds(1)) return;
    reported_ = now;
    options_.progress(amounts_);
  }

  const tokenizers::Splitter& splitter_;
  const WordCountOptions& options_;
  std::vector<CountingSink> sinks_;
  std::mutex mutex_;  // guards the reader and what follows
  bool has_blocks_ = false;
  std::int64_t num_left_ = 0;  // bytes of text
  TextAmounts amounts_;
  RecordCounts counts_;
  Clock::time_point reported_ = Clock::now();
  TaskGroup threads_;
};

std::int64_t share(std::int64_t max_bytes, std::int64_t num_bytes, std::int64_t total) {
  const double fraction = static_cast<double>(num_bytes) / static_cast<double>(total);
  return static_cast<std::int64_t>(fraction * static_cast<double>(max_bytes)) + 1;
}

}  // namespace

CountedWords count_words(const std::vector<RecordFiles>& files,
                         const tokenizers::Splitter& splitter,
                         const WordCountOptions& options) {
  MW_CHECK(options.num_threads >= 1, "words: num_threads ", options.num_threads, " is less than 1");
  MW_CHECK(options.max_bytes.value_or(1) >= 1, "words: max_bytes ", options.max_bytes.value_or(0),
           " is less than 1");
  std::int64_t total = 0;
  for (const RecordFiles& part : files)
    for (const DataFile& file : part.files)
      total += file.num_bytes;
  WordCounter counter(splitter, options);
  for (const RecordFiles& part : files) {
    if (!options.max_bytes) {
      counter.count(part.files, part.settings, kNoLimit);
      continue;
    }
    for (const DataFile& file : part.files)
      counter.count({file}, part.settings, share(*options.max_bytes, file.num_bytes, total));
  }
  return std::move(counter).finish();
}

}  // namespace meshwright::data
