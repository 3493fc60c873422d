// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/write_tokens.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>

#include "meshwright/base/check.h"
#include "meshwright/base/counted.h"
#include "meshwright/base/json.h"
#include "meshwright/base/log.h"
#include "meshwright/cli/output_path.h"
#include "meshwright/cli/progress_line.h"
#include "meshwright/data/text/document_rules.h"
#include "meshwright/data/text/for_each_document.h"
#include "meshwright/data/token_files/token_writer.h"
#include "meshwright/metrics/format.h"

namespace meshwright::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kName[] = "data tokenize";

data::TokenFormat format_of(const TokenOutputArgs& args) {
  const std::string extension = fs::path(args.path).extension().string();
  for (const data::TokenFormat format : data::kAllTokenFormats) {
    const std::string_view name = data::token_format_name(format);
    if (args.format ? name == *args.format : extension == str(".", name)) return format;
  }
  fail(ErrorCode::invalid_argument, kName, ": the name ", args.path,
       " does not tell the format of the file\nname it: --out-format ",
       join(token_format_names(), "|"));
}

// Returns the files that the writer of a format makes.
std::vector<std::string> files_of(const std::string& path, data::TokenFormat format) {
  if (format != data::TokenFormat::megatron) return {path};
  fs::path prefix = path;
  if (prefix.extension() == ".bin" || prefix.extension() == ".idx") prefix.replace_extension();
  return {prefix.string() + ".bin", prefix.string() + ".idx"};
}

struct Report {
  std::int64_t num_documents = 0, num_tokens = 0, num_bytes = 0;
  data::RecordCounts records = {};
  double seconds = 0;

  double megabytes_per_second() const {
    return static_cast<double>(num_bytes) / 1e6 / std::max(seconds, 1e-9);
  }
};

void add_text(const data::Record& record, Report& report) {
  for (const std::string_view field : record.fields)
    report.num_bytes += std::ssize(field);
  for (const data::Message& message : record.messages)
    report.num_bytes += std::ssize(message.content);
}

Report write(const data::TextConfig& config,
             const std::shared_ptr<const tokenizers::Tokenizer>& tokenizer,
             data::TokenWriter& writer) {
  Report report;
  ProgressLine line;
  report.records = data::for_each_document(
      config, tokenizer, [&](const data::Record& record, std::span<const tokenizers::Id> tokens) {
        writer.add_document({reinterpret_cast<const std::uint32_t*>(tokens.data()), tokens.size()});
        ++report.num_documents;
        report.num_tokens += std::ssize(tokens);
        add_text(record, report);
        line.show([&] {
          return str(counted(report.num_documents, "document"), ", ",
                     counted(report.num_tokens, "token"));
        });
      });
  return report;
}

void print_json(const std::string& path, std::string_view format, const Report& report) {
  JsonWriter json;
  json.begin_object()
      .field("path", path)
      .field("format", format)
      .field("documents", report.num_documents)
      .field("tokens", report.num_tokens)
      .field("bytes", report.num_bytes)
      .field("corrupt", report.records.corrupt)
      .field("seconds", report.seconds)
      .field("megabytes_per_second", report.megabytes_per_second());
  std::cout << json.end_object().str() << "\n";
}

void print_text(const std::string& path, std::string_view format, const Report& report) {
  std::cout << "wrote " << counted(report.num_tokens, "token") << " in "
            << counted(report.num_documents, "document") << " to " << path << " (" << format
            << "): " << metrics::significant(report.megabytes_per_second(), 3)
            << " MB of text per second\n";
}

}  // namespace

std::vector<std::string> token_format_names() {
  std::vector<std::string> out;
  for (const data::TokenFormat format : data::kAllTokenFormats)
    out.emplace_back(data::token_format_name(format));
  return out;
}

void write_tokens(const data::TextConfig& config,
                  const std::shared_ptr<const tokenizers::Tokenizer>& tokenizer,
                  const TokenOutputArgs& args) {
  const auto start = std::chrono::steady_clock::now();
  const data::TokenFormat format = format_of(args);
  if (config.has_instructions())
    log_warning(
        "files of tokens have no weights: prompts are learnt too\nto keep the weights: "
        "meshwright data pack");
  const data::Frame frame = document_frame(config, *tokenizer);
  if (format != data::TokenFormat::megatron && !frame.before && !frame.after)
    log_warning(
        "nothing in the file tells documents apart: only megatron stores where they are\n"
        "to end each with the tokenizer's EOS token: --eos");
  const std::vector<std::string> files = files_of(args.path, format);
  for (const std::string& file : files)
    check_output(kName, file, args.force);
  // The writer replaces nothing. With --force, the new files replace the old ones when complete.
  const std::string path = args.force ? args.path + ".new" : args.path;
  const auto writer =
      data::open_token_writer(path, format, {.vocab_size = tokenizer->vocab_size()});
  Report report = write(config, tokenizer, *writer);
  writer->finish();
  if (args.force) {
    const std::vector<std::string> written = files_of(path, format);
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (fs::is_directory(fs::symlink_status(files[i]))) fs::remove_all(files[i]);
      fs::rename(written[i], files[i]);
    }
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::string_view name = data::token_format_name(format);
  args.as_json ? print_json(args.path, name, report) : print_text(args.path, name, report);
}

}  // namespace meshwright::cli
