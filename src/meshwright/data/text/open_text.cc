// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/text/open_text.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "meshwright/base/counted.h"
#include "meshwright/base/log.h"
#include "meshwright/data/cache/token_cache.h"
#include "meshwright/data/documents/views.h"
#include "meshwright/data/text/in_place.h"
#include "meshwright/data/text/record_files.h"
#include "meshwright/io/file_system.h"

namespace meshwright::data {
namespace {

// With fewer documents, an index is made in a few milliseconds.
constexpr std::int64_t kMinIndexed = 1 << 16;

void log_omitted(const RecordCounts& counts) {
  const std::int64_t filtered = counts.too_short + counts.too_long + counts.unequal;
  if (counts.corrupt > 0) log_warning("data: skipped ", counted(counts.corrupt, "corrupt record"));
  if (filtered > 0) log_info("data: filters omitted ", counted(filtered, "record"));
}

std::string in_megabytes(std::int64_t num_bytes) {
  constexpr std::int64_t kMega = 1'000'000;
  return num_bytes < kMega ? "under 1 MB" : str((num_bytes + kMega / 2) / kMega, " MB");
}

// Throws if the files have no documents, and says what became of their records.
void check_not_empty(const Documents& documents,
                     const std::vector<RecordFiles>& parts,
                     const RecordCounts& counts) {
  if (documents.num_documents() > 0) return;
  std::vector<std::string> reasons;
  auto add = [&](std::int64_t count, std::string_view key, std::string_view what) {
    if (count > 0) reasons.push_back(str(key, " ", what, " ", count));
  };
  add(counts.unequal, "data.where", "does not match");
  add(counts.too_short, "data.min_bytes", "omits");
  add(counts.too_long, "data.max_bytes", "omits");
  add(counts.corrupt, "data.skip_corrupt", "skips");
  std::size_t num_files = 0;
  for (const RecordFiles& part : parts)
    num_files += part.files.size();
  const std::string& first = parts.front().files.front().path;
  const std::string what =
      num_files == 1 ? str(first, " has") : str(first, " and ", num_files - 1, " more have");
  fail(ErrorCode::invalid_argument, "data: ", what, " no document",
       reasons.empty() ? "" : str(": of the records, ", join(reasons, ", ")));
}

// Documents that are examined for unknown tokens, and tokens of each.
constexpr std::int64_t kExamined = 64, kExaminedTokens = 1024;

void warn_of_unknown_tokens(const Documents& documents, const tokenizers::Tokenizer& tokenizer) {
  const std::optional<tokenizers::Id> unknown = tokenizer.special_tokens().unknown;
  if (!unknown) return;
  std::int64_t num_unknown = 0, num_tokens = 0;
  const std::int64_t stride = std::max<std::int64_t>(1, documents.num_documents() / kExamined);
  for (std::int64_t i = 0; i < documents.num_documents(); i += stride) {
    std::vector<std::int32_t> ids(
        static_cast<std::size_t>(std::min(documents.length(i), kExaminedTokens)));
    documents.read(i, 0, ids);
    num_unknown += std::ranges::count(ids, *unknown);
    num_tokens += std::ssize(ids);
  }
  if (2 * num_unknown <= num_tokens) return;
  log_warning("data: ", 100 * num_unknown / num_tokens, "% of the tokens of the text are '",
              tokenizer.piece(*unknown), "': the tokenizer may not be made for it");
}

void log_progress(const TokenCacheProgress& progress) {
  const double fraction = static_cast<double>(progress.bytes_read) /
                          static_cast<double>(std::max<std::int64_t>(1, progress.num_bytes));
  log_info("tokenizing: ", static_cast<int>(100 * fraction), "% of ",
           in_megabytes(progress.num_bytes), ", ", counted(progress.num_records, "document"), ", ",
           counted(progress.num_tokens, "token"));
}

}  // namespace

std::filesystem::path caches_folder(const TextConfig& config, const std::string& run_folder) {
  if (config.cache) return *config.cache;
  const std::filesystem::path run = io::open_file_system(run_folder)->full_name("");
  return std::filesystem::absolute(run).lexically_normal().parent_path() / "token_cache";
}

TextFiles open_text(const TextConfig& config,
                    const config::OneOrMore<std::string>& path,
                    const std::shared_ptr<const tokenizers::Tokenizer>& tokenizer,
                    const std::string& run_folder) {
  const RecordEncoderPtr encoder = record_encoder(config, tokenizer);
  const TokenCacheOptions options = {.folder = caches_folder(config, run_folder),
                                     .num_threads = config.tokenizer_threads.value_or(0),
                                     .progress = log_progress};
  const std::vector<RecordFiles> parts = record_files(config, path);
  std::vector<DocumentsPtr> all;
  RecordCounts counts;
  for (const RecordFiles& part : parts) {
    if (DocumentsPtr plain = open_in_place(config, part)) {
      all.push_back(std::move(plain));
      continue;
    }
    TokenCache cache = cached_tokens(part.files, part.settings, encoder, options);
    log_info("data: ", counted(cache.num_tokens, "token"),
             cache.was_built ? " written to " : " in ", cache.folder.string());
    log_omitted(cache.counts);
    counts += cache.counts;
    all.push_back(std::move(cache.documents));
  }
  DocumentsPtr documents = joined(std::move(all));
  check_not_empty(*documents, parts, counts);
  warn_of_unknown_tokens(*documents, *tokenizer);
  return {std::move(documents), counts.corrupt};
}

NumberStore indexes_in(const std::filesystem::path& caches) {
  return NumberStore(caches / "index");
}

NumberStore index_store(const TextConfig& config, const std::string& run_folder) {
  return indexes_in(caches_folder(config, run_folder));
}

NumberStore index_store(const TextConfig& config,
                        const std::string& run_folder,
                        const Documents& documents) {
  return documents.num_documents() < kMinIndexed ? NumberStore() : index_store(config, run_folder);
}

}  // namespace meshwright::data
