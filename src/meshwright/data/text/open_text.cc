// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/text/open_text.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/base/log.h"
#include "meshwright/data/cache/token_cache.h"
#include "meshwright/data/documents/byte_files.h"
#include "meshwright/data/documents/views.h"
#include "meshwright/data/encoding/chat_encoder.h"
#include "meshwright/data/encoding/prompt_encoder.h"
#include "meshwright/data/encoding/record_encoder.h"
#include "meshwright/data/records/byte_stream.h"
#include "meshwright/data/records/data_files.h"
#include "meshwright/io/user_file.h"

namespace meshwright::data {
namespace {

// Returns the extension before .gz or .zst.
std::string extension(const std::string& path) {
  std::filesystem::path name(path);
  if (name.extension() == ".gz" || name.extension() == ".zst") name = name.stem();
  return name.extension().string();
}

FileFormat format_of(const DataFile& file) {
  const std::string found = extension(file.path);
  if (found == ".jsonl" || found == ".ndjson" || found == ".json") return FileFormat::jsonl;
  return found == ".parquet" ? FileFormat::parquet : FileFormat::text;
}

// Sets the fields to read.
template <typename Format>
Format with_fields(const TextConfig& config, Format format) {
  if (config.chat) {
    format.fields.clear();
    format.messages = config.chat->messages;
    format.role_field = config.chat->role;
    format.content_field = config.chat->content;
  } else if (config.prompts) {
    format.fields = {config.prompts->prompt, config.prompts->completion};
  } else {
    format.fields = {config.field};
  }
  return format;
}

RecordEncoderPtr encoder_for(const TextConfig& config,
                             std::shared_ptr<const tokenizers::Tokenizer> tokenizer) {
  if (config.chat) {
    return chat_encoder(std::move(tokenizer),
                        {.chat_template = config.chat->chat_template, .loss = config.chat->loss});
  }
  if (config.prompts) {
    return prompt_completion_encoder(std::move(tokenizer),
                                     {.learn_prompt = config.prompts->learn_prompt});
  }
  return text_encoder(std::move(tokenizer), config.parse_special ? tokenizers::SpecialText::parse
                                                                 : tokenizers::SpecialText::plain);
}

RecordSettings settings_for(const TextConfig& config, FileFormat format) {
  RecordSettings out;
  out.filter = config.filter;
  for (const auto& [path, value] : config.where)
    out.filter.equal.push_back({path, value});
  out.max_record_bytes = config.max_record_bytes;
  out.skip_corrupt = config.skip_corrupt;
  switch (format) {
    case FileFormat::jsonl:
      out.format = with_fields(config, JsonlFormat());
      break;
    case FileFormat::parquet:
      out.format = with_fields(config, ParquetFormat());
      break;
    default:
      MW_CHECK(config.where.empty(), "data.where: text files have no fields");
      MW_CHECK(!config.has_instructions(), "data.", config.chat ? "chat" : "prompts",
               ": text files have no fields");
      out.format = TextFormat{.split = config.split, .separator = config.separator};
  }
  return out;
}

// Calls `open` with each maximal run of files that have one format.
std::vector<DocumentsPtr> by_format(
    const std::vector<DataFile>& files,
    FileFormat format,
    const std::function<DocumentsPtr(std::vector<DataFile>, FileFormat)>& open) {
  std::vector<DocumentsPtr> out;
  auto kind = [&](const DataFile& file) {
    return format == FileFormat::automatic ? format_of(file) : format;
  };
  for (auto begin = files.begin(); begin != files.end();) {
    const FileFormat found = kind(*begin);
    const auto end =
        std::find_if(begin, files.end(), [&](const DataFile& file) { return kind(file) != found; });
    out.push_back(open({begin, end}, found));
    begin = end;
  }
  return out;
}

// The most files that are read in place; each stays open.
constexpr std::int64_t kMaxOpenFiles = 128;

// Returns plain files whose bytes are the tokens of one document each; null if the files or the
// settings are not of that kind.
DocumentsPtr open_in_place(const TextConfig& config, const std::vector<DataFile>& files) {
  const bool has_filter = config.filter.min_bytes > 0 || config.filter.max_bytes < INT64_MAX;
  if (std::ssize(files) > kMaxOpenFiles) return nullptr;
  if (config.tokenizer != kBytes || config.split != TextSplit::files || has_filter) return nullptr;
  std::vector<ByteFile> out;
  for (const DataFile& file : files) {
    std::unique_ptr<io::ReadableFile> opened = io::open_user_file(file.path);
    if (compression_of(*opened, file.path) != Compression::none) return nullptr;
    out.push_back({file.path, std::move(opened), file.sample_digest});
  }
  return byte_files(std::move(out));
}

std::filesystem::path cache_folder(const TextConfig& config, const std::string& run_folder) {
  if (config.cache) return *config.cache;
  return std::filesystem::absolute(run_folder).lexically_normal().parent_path() / "token_cache";
}

void log_omitted(const RecordCounts& counts) {
  const std::int64_t filtered = counts.too_short + counts.too_long + counts.unequal;
  if (counts.corrupt > 0) log_warning("data: ", counts.corrupt, " corrupt records were skipped");
  if (filtered > 0) log_info("data: filters omitted ", filtered, " records");
}

std::string in_megabytes(std::int64_t num_bytes) {
  constexpr std::int64_t kMega = 1'000'000;
  return num_bytes < kMega ? "under 1 MB" : str((num_bytes + kMega / 2) / kMega, " MB");
}

void log_progress(const TokenCacheProgress& progress) {
  const double fraction = static_cast<double>(progress.bytes_read) /
                          static_cast<double>(std::max<std::int64_t>(1, progress.num_bytes));
  log_info("tokenizing: ", static_cast<int>(100 * fraction), "% of ",
           in_megabytes(progress.num_bytes), ", ", progress.num_records, " documents, ",
           progress.num_tokens, " tokens");
}

}  // namespace

DocumentsPtr open_text(const TextConfig& config,
                       const config::OneOrMore<std::string>& path,
                       std::shared_ptr<const tokenizers::Tokenizer> tokenizer,
                       const std::string& run_folder) {
  const RecordEncoderPtr encoder = encoder_for(config, std::move(tokenizer));
  const TokenCacheOptions options = {.folder = cache_folder(config, run_folder),
                                     .num_threads = config.tokenizer_threads.value_or(0),
                                     .progress = log_progress};
  auto open = [&](const std::vector<DataFile>& files, FileFormat format) {
    const RecordSettings settings = settings_for(config, format);
    if (format == FileFormat::text) {
      if (DocumentsPtr plain = open_in_place(config, files)) return plain;
    }
    TokenCache cache = cached_tokens(files, settings, encoder, options);
    log_info("data: ", cache.num_tokens, " tokens ", cache.was_built ? "written to " : "in ",
             cache.folder.string());
    log_omitted(cache.counts);
    return cache.documents;
  };
  std::vector<DocumentsPtr> all = by_format(find_data_files(path), config.format, open);
  return all.size() == 1 ? all.front() : joined(std::move(all));
}

}  // namespace meshwright::data
