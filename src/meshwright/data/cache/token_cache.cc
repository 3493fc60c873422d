// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/cache/token_cache.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/error.h"
#include "meshwright/base/error_with_remedy.h"
#include "meshwright/base/log.h"
#include "meshwright/base/str.h"
#include "meshwright/data/cache/build.h"
#include "meshwright/data/cache/cache_files.h"
#include "meshwright/data/cache/cache_key.h"
#include "meshwright/data/cache/cache_lock.h"
#include "meshwright/data/cache/cached_documents.h"
#include "meshwright/data/cache/part.h"
#include "meshwright/data/core/last_use.h"
#include "meshwright/io/file_system.h"

namespace meshwright::data {
namespace {

constexpr std::chrono::milliseconds kLockPoll{100};

using Parts = std::vector<PartInfo>;
enum class IfDamaged { ignore, warn };

RecordCounts counts_of(const CorpusPosition& end) {
  RecordCounts out = end.counts_of_files;
  out.accepted -= end.num_rejected;
  out.corrupt += end.num_rejected;
  return out;
}

std::filesystem::path working_folder() {
  std::error_code ignored;  // it may have been removed
  return std::filesystem::current_path(ignored);
}

class Cache {
 public:
  Cache(const std::vector<DataFile>& files,
        const RecordSettings& records,
        const RecordEncoder& encoder,
        const TokenCacheOptions& options)
      : inputs_{.settings_digest = settings_digest(records, encoder),
                .files = files,
                .working_folder = working_folder()},
        records_(records),
        encoder_(encoder),
        options_(options),
        path_(token_cache_folder(files, records, encoder, options.folder)),
        folder_(io::open_file_system(path_.string())) {}

  TokenCache get() {
    if (std::optional<Parts> parts = find(IfDamaged::ignore)) return open(*parts, false);
    const std::unique_ptr<io::FileLock> lock = wait_for_lock();
    if (std::optional<Parts> parts = find(IfDamaged::warn)) return open(*parts, false);
    return open(build(), true);
  }

 private:
  // Returns the parts of a complete cache whose files look undamaged. With `ignore`, also returns
  // nullopt if the folder cannot be read, which try_lock() then reports.
  std::optional<Parts> find(IfDamaged if_damaged) const {
    try {
      std::optional<Parts> out = find_parts(*folder_, inputs_.files.size());
      if (!out) return out;
      for (std::size_t i = 0; i < out->size(); ++i)
        check_part(*folder_, i, (*out)[i]);
      return out;
    } catch (const Error& error) {
      if (if_damaged == IfDamaged::ignore) return std::nullopt;
      if (error.code() != ErrorCode::data_loss && error.code() != ErrorCode::not_found) throw;
      log_warning("the token cache is damaged and will be rebuilt: ", error.what());
      return std::nullopt;
    }
  }

  std::unique_ptr<io::FileLock> try_lock() {
    try {
      folder_->make_folder("");
      return lock_cache(*folder_);
    } catch (const Error& error) {
      fail_with_remedy(
          error.code(),
          set_config("to keep the token cache in another folder", {{"data.cache", "FOLDER"}}),
          "the token cache cannot be written: ", error.message());
    }
  }

  std::unique_ptr<io::FileLock> wait_for_lock() {
    for (bool is_first = true;; is_first = false) {
      if (std::unique_ptr<io::FileLock> lock = try_lock()) return lock;
      if (is_first)
        log_info("waiting for another process that builds the token cache ", path_.string());
      std::this_thread::sleep_for(kLockPoll);
    }
  }

  Parts build() {
    const std::string changes =
        changes_since_cached(*io::open_file_system(options_.folder.string()), inputs_);
    if (!changes.empty()) log_info("data: ", changes, " since the files were tokenized");
    begin_build(*folder_, inputs_);
    Parts out = build_parts({.inputs = inputs_.files,
                             .records = records_,
                             .encoder = encoder_,
                             .folder = *folder_,
                             .options = options_,
                             .num_threads = num_threads()});
    write_parts(*folder_, out);
    return out;
  }

  int num_threads() const {
    if (options_.num_threads > 0) return options_.num_threads;
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }

  TokenCache open(const Parts& parts, bool was_built) const {
    TokenCache out{.documents = nullptr,
                   .counts = counts_of(parts.back().end),
                   .folder = path_,
                   .was_built = was_built};
    check_num_corrupt(path_.string(), out.counts.corrupt, records_.skip_corrupt);
    std::vector<std::string> names;
    for (const DataFile& file : inputs_.files)
      names.push_back(file.path);
    out.documents = cached_documents(*folder_, parts, std::move(names), encoder_.digest());
    out.num_tokens = out.documents->num_tokens();
    note_use(path_);
    return out;
  }

  const CacheInputs inputs_;
  const RecordSettings& records_;
  const RecordEncoder& encoder_;
  const TokenCacheOptions& options_;
  const std::filesystem::path path_;
  const std::shared_ptr<io::FileSystem> folder_;
};

}  // namespace

TokenCache cached_tokens(const std::vector<DataFile>& files,
                         const RecordSettings& records,
                         const RecordEncoderPtr& encoder,
                         const TokenCacheOptions& options) {
  check(records);
  MW_CHECK(encoder != nullptr, "token cache: no encoder");
  MW_CHECK(!options.folder.empty(), "token cache: no folder");
  MW_CHECK(options.num_threads >= 0, "token cache: num_threads ", options.num_threads,
           " is negative");
  MW_CHECK(options.part_tokens >= 1, "token cache: part_tokens ", options.part_tokens,
           " is less than 1");
  return Cache(files, records, *encoder, options).get();
}

std::filesystem::path token_cache_folder(const std::vector<DataFile>& files,
                                         const RecordSettings& records,
                                         const RecordEncoder& encoder,
                                         const std::filesystem::path& caches) {
  return caches / cache_key(files, settings_digest(records, encoder));
}

CheckedTokenCache check_token_cache(const std::filesystem::path& folder) {
  const auto files = io::open_file_system(folder.string());
  if (!is_complete(*files)) return {.is_complete = false};
  CheckedTokenCache out;
  auto check = [&](const std::function<void()>& verify) {
    try {
      verify();
    } catch (const Error& error) {
      out.damage.emplace_back(error.what());
    }
  };
  check([&] {
    const std::optional<CacheInputs> inputs = find_inputs(*files);
    if (!inputs) fail(ErrorCode::data_loss, folder.string(), ": is not a token cache");
    const Parts parts = find_parts(*files, inputs->files.size()).value();
    for (std::size_t i = 0; i < parts.size(); ++i)
      check([&] { verify_part(*files, i, parts[i]); });
  });
  return out;
}

}  // namespace meshwright::data
