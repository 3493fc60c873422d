// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/text/record_files.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/data/encoding/chat_encoder.h"
#include "meshwright/data/encoding/prompt_encoder.h"

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

}  // namespace

std::vector<RecordFiles> record_files(const TextConfig& config,
                                      const config::OneOrMore<std::string>& path) {
  const std::vector<DataFile> files = find_data_files(path);
  auto kind = [&](const DataFile& file) {
    return config.format == FileFormat::automatic ? format_of(file) : config.format;
  };
  std::vector<RecordFiles> out;
  for (auto begin = files.begin(); begin != files.end();) {
    const FileFormat format = kind(*begin);
    const auto end = std::find_if(begin, files.end(),
                                  [&](const DataFile& file) { return kind(file) != format; });
    out.push_back({.files = {begin, end}, .settings = settings_for(config, format)});
    begin = end;
  }
  return out;
}

RecordEncoderPtr record_encoder(const TextConfig& config,
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

}  // namespace meshwright::data
