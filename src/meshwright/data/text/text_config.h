// SPDX-License-Identifier: Apache-2.0
// The tables [data] of language models that are trained on files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "meshwright/config/fields.h"
#include "meshwright/config/type_of.h"
#include "meshwright/data/core/skip_steps_config.h"
#include "meshwright/data/documents/rows.h"
#include "meshwright/data/documents/text_source.h"
#include "meshwright/data/encoding/chat_template.h"
#include "meshwright/data/records/record_settings.h"
#include "meshwright/data/text/row_order_fields.h"

namespace meshwright::data {

enum class FileFormat { automatic, text, jsonl, parquet };
inline config::Choices<FileFormat> config_choices(FileFormat) {
  return {{"auto", FileFormat::automatic},
          {"text", FileFormat::text},
          {"jsonl", FileFormat::jsonl},
          {"parquet", FileFormat::parquet}};
}

inline config::Choices<TextSplit> config_choices(TextSplit) {
  return {{"files", TextSplit::files},
          {"blank_lines", TextSplit::blank_lines},
          {"lines", TextSplit::lines},
          {"separator", TextSplit::separator}};
}

/// How documents become rows of a batch.
enum class RowKind { concatenated, packed, single };
inline config::Choices<RowKind> config_choices(RowKind) {
  return {{"concatenated", RowKind::concatenated},
          {"packed", RowKind::packed},
          {"single", RowKind::single}};
}

inline config::Choices<LongDocuments> config_choices(LongDocuments) {
  return {{"cut", LongDocuments::cut},
          {"truncate", LongDocuments::truncate},
          {"drop", LongDocuments::drop}};
}

inline config::Choices<Context> config_choices(Context) {
  return {{"row", Context::row}, {"document", Context::document}};
}

/// Records with a prompt and its completion.
struct PromptsConfig {
  std::string prompt = "prompt", completion = "completion";
  bool learn_prompt = false;

  void fields(auto& f) {
    f.optional("prompt", prompt, config::kNonEmpty, "Field that has the prompt.");
    f.optional("completion", completion, config::kNonEmpty, "Field that has the completion.");
    f.optional("learn_prompt", learn_prompt, "Include the tokens of prompts in the loss.");
  }
};

/// Records with a list of messages.
struct ChatConfig {
  std::string messages = "messages", role = "role", content = "content";
  ChatTemplate chat_template = ChatTemplate::chatml;
  ChatLoss loss = ChatLoss::responses;

  void fields(auto& f) {
    f.required("template", chat_template,
               "Chat template, by the model family that was trained with it.");
    f.optional("messages", messages, config::kNonEmpty, "Field that has the list of messages.");
    f.optional("role", role, config::kNonEmpty,
               "Member of a message that has its role: system, user or assistant.");
    f.optional("content", content, config::kNonEmpty, "Member of a message that has its text.");
    f.optional("loss", loss,
               "Tokens in the loss: those of all responses, of the last response, or all.");
  }
};

/// The tokenizer that needs no file.
inline constexpr char kBytes[] = "bytes";

/// Files of text. Documents are tokenized once, into a cache, and then read at random.
struct TextConfig {
  static constexpr char kType[] = "text";
  config::OneOrMore<std::string> path;
  FileFormat format = FileFormat::automatic;
  TextSplit split = TextSplit::files;
  std::string separator = {};
  std::string field = "text";
  RecordFilter filter = {};
  std::optional<PromptsConfig> prompts = {};
  std::optional<ChatConfig> chat = {};
  std::map<std::string, std::string> where = {};
  std::int64_t max_record_bytes = RecordSettings().max_record_bytes;
  std::int64_t skip_corrupt = 0;

  std::string tokenizer = kBytes;
  bool parse_special = false;
  config::OrAuto<bool> add_bos = {}, add_eos = {};
  config::OrAuto<std::string> cache = {};
  config::OrAuto<int> tokenizer_threads = {};
  double read_timeout_seconds = 600;

  double held_out = 0.05;
  std::int64_t batch_size = 16;
  std::int64_t length = 256;
  config::OrAuto<RowKind> rows = {};
  config::OrAuto<Context> context = {};
  LongDocuments long_documents = LongDocuments::cut;
  bool shuffle = true;
  std::optional<std::int64_t> shuffle_window = {};
  std::optional<std::int64_t> num_epochs = {};
  SkipStepsConfig skip_steps = {};

  void fields(auto& f) {
    document_fields(f);
    tokenizer_fields(f);
    row_fields(f);
    f.check(
        "chat", [this] { return !prompts || !chat; }, "not be combined with prompts");
    f.check(
        "add_bos", [this] { return !has_instructions() || (!add_bos && !add_eos); },
        "be auto with prompts or chat, as must add_eos");
    f.check(
        "separator", [this] { return (split == TextSplit::separator) == !separator.empty(); },
        "be set if and only if split is \"separator\"");
  }
  void document_fields(auto& f) {
    using namespace config;  // NOLINT(google-build-using-namespace): a scope of field names
    f.required("path", path, kNonEmpty,
               "Files, globs such as corpus/**/*.jsonl.zst, or folders. Files may be compressed "
               "with gzip or zstd.");
    f.optional(
        "format", format,
        "Format of the files. `auto`: `jsonl` for names that end in .jsonl, .ndjson or .json, "
        "`parquet` for .parquet, otherwise `text`.");
    f.optional("split", split,
               "How text files are split into documents: not at all, at blank lines, at every line "
               "break, or at a separator.");
    f.optional("separator", separator, "Text between documents, for split = \"separator\".");
    f.optional("field", field, kNonEmpty,
               "JSON member or Parquet column that has the text. A dot leads into nested objects: "
               "\"meta.title\".");
    f.optional("prompts", prompts,
               "Learn completions of prompts. `none`: learn the text of `field`.");
    f.optional("chat", chat,
               "Learn responses in conversations. `none`: learn the text of `field`.");
    f.optional("where", where,
               "Use only records in which these fields have these values, such as "
               "{ language = \"en\" }. For JSONL and Parquet.");
    f.optional("min_bytes", filter.min_bytes, kNotNegative, "Omit shorter documents.")
        .unit("bytes");
    f.optional("max_bytes", filter.max_bytes, kPositive, "Omit longer documents.").unit("bytes");
    f.optional("max_record_bytes", max_record_bytes, kPositive,
               "Maximum size of a document or JSON line. Longer ones count as corrupt.")
        .unit("bytes");
    f.optional("skip_corrupt", skip_corrupt, kNotNegative,
               "Number of corrupt records to skip, with a warning, before the next one ends the "
               "run.");
  }
  void tokenizer_fields(auto& f) {
    using namespace config;  // NOLINT(google-build-using-namespace): a scope of field names
    f.optional("tokenizer", tokenizer, kNonEmpty,
               "Path of a tokenizer.json, a SentencePiece .model or a tiktoken file, or of a "
               "folder that has one. \"bytes\": one token per byte.");
    f.optional("parse_special", parse_special,
               "Encode special tokens that are spelled out in the text, such as <|endoftext|>, as "
               "special tokens instead of as plain text.");
    f.optional(
        "add_bos", add_bos,
        "Begin each document with the tokenizer's BOS token. `auto`: only if the tokenizer's "
        "own template does.");
    f.optional("add_eos", add_eos,
               "End each document with the tokenizer's EOS token. `auto`: if there is one.");
    f.optional("cache", cache,
               "Folder of the token cache, which keeps tokenized files for later runs. `auto`: "
               "token_cache, next to the run's folder.");
    f.optional("tokenizer_threads", tokenizer_threads, kPositive,
               "Threads that tokenize. `auto`: one per core.");
    f.optional("read_timeout_seconds", read_timeout_seconds, kPositive,
               "Time after which reading a block of a file, while the data is opened, counts as "
               "hung and ends the run.")
        .unit("seconds");
  }
  void row_fields(auto& f) {
    using namespace config;  // NOLINT(google-build-using-namespace): a scope of field names
    f.optional("held_out", held_out, kBelowOne,
               "Fraction of the documents to keep for evaluation (`held_out_text`), chosen by a "
               "hash of their content. Blocks of a corpus of fewer than 100 documents.");
    f.optional("batch_size", batch_size, kPositive, "Rows per batch.");
    f.optional("length", length, kPositive, "Tokens per row.");
    f.optional("rows", rows,
               "How rows are made. `concatenated`: documents are joined in a random order and cut "
               "into rows. `packed`: rows of whole documents, chosen to leave little padding. "
               "`single`: one document per row. `auto`: `packed` with `prompts` or `chat`, "
               "otherwise `concatenated`.");
    f.optional("context", context,
               "`row`: tokens attend to all earlier tokens of their row. `document`: only to those "
               "of their own document. `auto`: `document` with `prompts` or `chat`, otherwise "
               "`row`.");
    row_order_fields(f, *this);
  }

  bool has_instructions() const { return prompts || chat; }
  RowKind row_kind() const {
    return rows.value_or(has_instructions() ? RowKind::packed : RowKind::concatenated);
  }
  Context row_context() const {
    return context.value_or(has_instructions() ? Context::document : Context::row);
  }
};

/// Evaluation data: the documents that `text` or `tokens` holds out, or separate files.
struct HeldOutTextConfig {
  static constexpr char kType[] = "held_out_text";
  config::OneOrMore<std::string> path = {};
  std::int64_t batch_size = 16;
  std::optional<std::int64_t> length = {};
  std::optional<std::string> part = {};

  void fields(auto& f) {
    f.optional(
        "path", path,
        "Evaluation files, read with the settings of the training data. Empty: the documents "
        "that the training data holds out.");
    f.optional("batch_size", batch_size, config::kPositive, "Rows per batch.");
    f.optional("length", length, config::kPositive,
               "Tokens per row. `none`: as in the training data.");
    f.optional("part", part,
               "Part of a mixture whose held-out documents to evaluate, or whose settings read "
               "`path`. `none`: the held-out documents of all parts.");
  }
};

}  // namespace meshwright::data
