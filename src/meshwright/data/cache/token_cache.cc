// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/cache/token_cache.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <unistd.h>

#include "meshwright/base/check.h"
#include "meshwright/base/error.h"
#include "meshwright/base/log.h"
#include "meshwright/base/str.h"
#include "meshwright/data/cache/build_account.h"
#include "meshwright/data/cache/cache_key.h"
#include "meshwright/data/cache/cached_documents.h"
#include "meshwright/data/cache/file_encoder.h"
#include "meshwright/data/cache/part.h"
#include "meshwright/io/file_system.h"

namespace meshwright::data {
namespace {

constexpr std::string_view kMeta = "meta.json";
constexpr std::string_view kLock = "lock";
constexpr std::chrono::milliseconds kLockPoll{100};
constexpr std::size_t kMaxMetaBytes = std::size_t{1} << 30;

using Parts = std::vector<PartInfo>;
enum class IfDamaged { ignore, warn };

RecordCounts total_counts(const Parts& parts) {
  RecordCounts out;
  for (const PartInfo& part : parts)
    out += part.counts;
  return out;
}

void check_num_corrupt(std::string_view folder, std::int64_t num_corrupt, std::int64_t limit) {
  if (num_corrupt <= limit) return;
  fail(ErrorCode::data_loss, folder, ": ", num_corrupt, " corrupt records of its input files were ",
       "skipped when the tokens were cached, but skip_corrupt is now ", limit);
}

class Cache {
 public:
  Cache(const std::vector<DataFile>& files,
        const RecordSettings& records,
        const RecordEncoder& encoder,
        const TokenCacheOptions& options)
      : inputs_(files),
        records_(records),
        encoder_(encoder),
        options_(options),
        key_(cache_key(files, records, encoder)),
        path_(options.folder / key_),
        format_(token_format(encoder)),
        folder_(io::open_file_system(path_.string())) {}

  TokenCache get() {
    if (std::optional<Parts> parts = find(IfDamaged::ignore)) return open(*parts, false);
    folder_->make_folder("");
    const std::unique_ptr<io::FileLock> lock = wait_for_lock();
    if (std::optional<Parts> parts = find(IfDamaged::warn)) return open(*parts, false);
    return open(build(), true);
  }

 private:
  // Returns the parts of a complete and undamaged cache.
  std::optional<Parts> find(IfDamaged if_damaged) const {
    try {
      if (!folder_->find(kMeta)) return std::nullopt;
      return read_meta();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::data_loss && error.code() != ErrorCode::not_found) throw;
      if (if_damaged == IfDamaged::warn)
        log_warning("the token cache is damaged and will be rebuilt: ", error.what());
      return std::nullopt;
    }
  }

  Parts read_meta() const {
    const std::string name = folder_->full_name(kMeta);
    const Parts out = parts_from(
        parse_json(io::read_text(*folder_, kMeta, kMaxMetaBytes), name, kMaxMetaBytes), name);
    for (std::size_t i = 0; i < out.size(); ++i)
      check_part(*folder_, i, out[i], format_);
    return out;
  }

  Parts parts_from(const JsonValue& meta, std::string_view name) const {
    try {
      Parts out;
      for (const JsonValue& part : meta.at("parts").as_array())
        out.push_back(part_info_from(part));
      if (meta.at("format").as_integer() != kTokenCacheFormat || out.size() != inputs_.size() ||
          counts_from(meta.at("counts")) != total_counts(out))
        fail(ErrorCode::data_loss, "does not describe this cache");
      return out;
    } catch (const Error& error) {
      throw error.with_context(name);
    }
  }

  void write_meta(const Parts& parts) {
    JsonWriter json;
    json.begin_object().field("format", kTokenCacheFormat).key("counts");
    write_json(json, total_counts(parts));
    json.key("parts").begin_array();
    for (const PartInfo& part : parts)
      write_json(json, part);
    json.end_array().end_object();
    io::replace_text(*folder_, kMeta, json.str());
  }

  std::unique_ptr<io::FileLock> wait_for_lock() {
    const std::string holder = str("process ", ::getpid());
    for (bool is_first = true;; is_first = false) {
      if (std::unique_ptr<io::FileLock> lock = folder_->lock(kLock, holder)) return lock;
      if (is_first)
        log_info("waiting for another process that builds the token cache ", path_.string());
      std::this_thread::sleep_for(kLockPoll);
    }
  }

  Parts build() {
    if (folder_->find(kMeta)) folder_->remove(kMeta);
    std::int64_t num_bytes = 0;
    for (const DataFile& file : inputs_)
      num_bytes += file.num_bytes;
    BuildAccount account(options_.progress, num_bytes, records_.skip_corrupt);
    Parts parts(inputs_.size());
    const std::vector<std::size_t> missing = find_finished(parts, account);
    encode_files({.inputs = inputs_,
                  .records = records_,
                  .encoder = encoder_,
                  .folder = *folder_,
                  .account = account},
                 missing, num_threads(), parts);
    write_meta(parts);
    account.report_end();
    return parts;
  }

  // Fills in the parts that an interrupted build finished. Returns the others.
  std::vector<std::size_t> find_finished(Parts& parts, BuildAccount& account) const {
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::optional<PartInfo> part = find_part(*folder_, i, format_);
      if (!part) {
        missing.push_back(i);
        continue;
      }
      parts[i] = *part;
      account.add(part->num_documents, part->num_tokens);
      account.add_file(inputs_[i].num_bytes);
    }
    const std::int64_t num_corrupt = total_counts(parts).corrupt;
    check_num_corrupt(path_.string(), num_corrupt, records_.skip_corrupt);
    account.skip(num_corrupt);
    return missing;
  }

  int num_threads() const {
    if (options_.num_threads > 0) return options_.num_threads;
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }

  TokenCache open(const Parts& parts, bool was_built) const {
    TokenCache out{.documents = nullptr,
                   .counts = total_counts(parts),
                   .folder = path_,
                   .was_built = was_built};
    check_num_corrupt(path_.string(), out.counts.corrupt, records_.skip_corrupt);
    std::vector<std::string> names;
    for (const DataFile& file : inputs_)
      names.push_back(file.path);
    for (const PartInfo& part : parts)
      out.num_tokens += part.num_tokens;
    out.documents = cached_documents(folder_, parts, format_, std::move(names), encoder_.digest());
    return out;
  }

  const std::vector<DataFile>& inputs_;
  const RecordSettings& records_;
  const RecordEncoder& encoder_;
  const TokenCacheOptions& options_;
  const std::string key_;
  const std::filesystem::path path_;
  const TokenFormat format_;
  const std::shared_ptr<io::FileSystem> folder_;
};

}  // namespace

TokenCache cached_tokens(const std::vector<DataFile>& files,
                         const RecordSettings& records,
                         RecordEncoderPtr encoder,
                         const TokenCacheOptions& options) {
  check(records);
  MW_CHECK(encoder != nullptr, "token cache: no encoder");
  MW_CHECK(!options.folder.empty(), "token cache: no folder");
  MW_CHECK(options.num_threads >= 0, "token cache: num_threads ", options.num_threads,
           " is negative");
  return Cache(files, records, *encoder, options).get();
}

}  // namespace meshwright::data
