// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/print_statistics.h"

#include <algorithm>
#include <iomanip>
#include <iostream>

#include "meshwright/base/counted.h"
#include "meshwright/base/json.h"
#include "meshwright/cli/json_tokens.h"
#include "meshwright/cli/mixture_statistics.h"
#include "meshwright/metrics/format.h"
#include "meshwright/tokenizers/display/token_text.h"

namespace meshwright::cli {
namespace {

using data::CorpusStatistics;
using data::DocumentSums;
using data::FileStatistics;
using data::LengthStatistics;
using data::RecordCounts;

// More files are only added up; JSON has all of them.
constexpr std::int64_t kMaxFiles = 20;

double ratio(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// Returns text such as "12 documents (3.0%)".
std::string with_share(std::int64_t part, std::int64_t whole, std::string_view noun) {
  return str(counted(part, noun), " (", metrics::percent(ratio(part, whole)), ")");
}

void print_row(const std::vector<std::string>& numbers, const std::string& name) {
  for (const std::string& number : numbers)
    std::cout << std::setw(15) << number;
  std::cout << "  " << name << "\n";
}

// The columns with numbers of bytes and characters are there only for text.
void print_file(const FileStatistics& file, bool has_text) {
  const DocumentSums& sums = file.documents;
  std::vector<std::string> numbers = {with_separators(sums.num_documents)};
  if (has_text) numbers.push_back(with_separators(sums.num_bytes));
  if (has_text) numbers.push_back(with_separators(sums.num_characters));
  numbers.push_back(with_separators(sums.num_tokens));
  if (has_text) numbers.push_back(metrics::significant(ratio(sums.num_bytes, sums.num_tokens), 3));
  print_row(numbers, tokenizers::escaped(file.path));
}

void print_files(const CorpusStatistics& found, bool has_text) {
  if (has_text) {
    print_row({"documents", "bytes", "characters", "tokens", "bytes/token"}, "file");
  } else {
    print_row({"documents", "tokens"}, "file");
  }
  const std::int64_t num_files = std::ssize(found.files);
  const std::int64_t num_shown = num_files > kMaxFiles + 1 ? kMaxFiles : num_files;
  for (std::int64_t i = 0; i < num_shown; ++i)
    print_file(found.files[static_cast<std::size_t>(i)], has_text);
  if (num_shown < num_files)
    std::cout << "  ... " << counted(num_files - num_shown, "more file") << "\n";
  if (found.files.size() > 1) print_file(found.total, has_text);
}

void print_line(const std::string& name, const std::string& value) {
  std::cout << std::left << std::setw(14) << name << std::right << value << "\n";
}

void print_lengths(const LengthStatistics& lengths) {
  constexpr double kWidth = 40;
  print_line("lengths",
             str("min ", with_separators(lengths.min), ", 5% ", with_separators(lengths.p5),
                 ", median ", with_separators(lengths.median), ", 95% ",
                 with_separators(lengths.p95), ", max ", with_separators(lengths.max), " tokens"));
  const std::int64_t most =
      lengths.num_by_power.empty() ? 0 : *std::ranges::max_element(lengths.num_by_power);
  for (std::size_t i = 0; i < lengths.num_by_power.size(); ++i) {
    const std::int64_t number = lengths.num_by_power[i];
    if (number == 0) continue;
    const auto width = static_cast<std::size_t>(std::max(1.0, kWidth * ratio(number, most)));
    std::cout << std::setw(26) << str("from ", i == 0 ? 0 : std::int64_t{1} << i) << std::setw(14)
              << with_separators(number) << "  " << std::string(width, '#') << "\n";
  }
}

void print_omitted(const RecordCounts& records, bool has_text) {
  if (const std::int64_t filtered = records.too_short + records.too_long + records.unequal) {
    print_line("filtered",
               str(counted(filtered, "record"), ": ", with_separators(records.too_short),
                   " too short, ", with_separators(records.too_long), " too long, ",
                   with_separators(records.unequal), " by data.where"));
  }
  if (records.corrupt > 0)
    print_line("corrupt", str(counted(records.corrupt, has_text ? "record" : "document"),
                              "; for a list: meshwright data verify"));
}

void print_rows(const CorpusStatistics& found, std::int64_t length) {
  if (found.held_out.num_documents > 0) {
    print_line("held out", str(counted(found.held_out.num_tokens, "token"), " in ",
                               counted(found.held_out.num_documents, "document")));
  }
  if (found.rows) {
    print_line(
        "rows",
        str(with_separators(found.rows->num_rows), " of ", length, " tokens to train on, ",
            metrics::percent(ratio(found.rows->num_padding, found.rows->num_tokens)), " padding"));
  } else {
    print_line("rows", str("none: ", found.no_rows));
  }
}

void print_corpus(const SurveyedCorpus& surveyed) {
  const auto& [corpus, found] = surveyed;
  const DocumentSums& sums = found.total.documents;
  print_files(found, corpus.has_text());
  std::cout << "\n";
  if (corpus.tokenizer) print_line("tokenizer", corpus.tokenizer->description());
  if (found.max_token) print_line("largest", str("token ", with_separators(*found.max_token)));
  print_lengths(found.lengths);
  print_line("duplicates", with_share(sums.num_duplicates, sums.num_documents, "document"));
  if (corpus.tokenizer)
    print_line("unknown", with_share(sums.num_unknown, sums.num_tokens, "token"));
  print_line("learnt", with_share(sums.num_learnt, sums.num_tokens, "token"));
  print_omitted(found.total.records, corpus.has_text());
  print_rows(found, corpus.length());
}

void print_mixture(const std::vector<SurveyedCorpus>& parts, const data::MixtureConfig& mixture) {
  const MixtureStatistics all = sum(parts, mixture);
  print_row({"documents", "tokens", "rows", "of all rows"}, "part");
  auto print_part = [](const DocumentSums& sums, std::int64_t num_rows, const std::string& share,
                       const std::string& name) {
    print_row({with_separators(sums.num_documents), with_separators(sums.num_tokens),
               with_separators(num_rows), share},
              tokenizers::escaped(name));
  };
  for (const auto& [corpus, found] : parts) {
    const auto share = all.shares.find(corpus.part);
    print_part(found.total.documents, found.rows ? found.rows->num_rows : 0,
               share == all.shares.end() ? "unknown" : metrics::percent(share->second),
               corpus.part);
  }
  for (const auto& [name, share] : all.shares)
    if (std::ranges::find(parts, name, [](const auto& part) { return part.corpus.part; }) ==
        parts.end())
      print_row({"", "", "", metrics::percent(share)}, tokenizers::escaped(name) + " (generated)");
  print_part(all.total.documents, all.rows.num_rows, "", "total");
}

void write_sums(JsonWriter& json, const FileStatistics& file, bool has_text) {
  const auto& [path, records, sums] = file;
  json.field("documents", sums.num_documents).field("tokens", sums.num_tokens);
  if (has_text) {
    json.field("bytes", sums.num_bytes)
        .field("characters", sums.num_characters)
        .field("bytes_per_token", ratio(sums.num_bytes, sums.num_tokens));
  }
  json.field("unknown_tokens", sums.num_unknown)
      .field("learnt_tokens", sums.num_learnt)
      .field("duplicates", sums.num_duplicates)
      .field("too_short", records.too_short)
      .field("too_long", records.too_long)
      .field("unequal", records.unequal)
      .field("corrupt", records.corrupt);
}

void write_lengths(JsonWriter& json, const LengthStatistics& lengths) {
  json.key("lengths").begin_object();
  json.field("min", lengths.min).field("p5", lengths.p5).field("median", lengths.median);
  json.field("p95", lengths.p95).field("max", lengths.max).key("histogram").begin_array();
  for (std::size_t i = 0; i < lengths.num_by_power.size(); ++i) {
    json.begin_object().field("from", i == 0 ? 0 : std::int64_t{1} << i);
    json.field("documents", lengths.num_by_power[i]).end_object();
  }
  json.end_array().end_object();
}

void write_held_out(JsonWriter& json, const DocumentSums& held_out) {
  json.key("held_out").begin_object();
  json.field("documents", held_out.num_documents).field("tokens", held_out.num_tokens);
  json.end_object();
}

void write_rows(JsonWriter& json, const data::RowStatistics& rows, std::int64_t length) {
  json.key("rows").begin_object();
  json.field("rows", rows.num_rows).field("length", length);
  json.field("padding", ratio(rows.num_padding, rows.num_tokens)).end_object();
}

// Writes the members of an object.
void write_corpus(JsonWriter& json, const SurveyedCorpus& surveyed) {
  const auto& [corpus, found] = surveyed;
  json.key("files").begin_array();
  for (const FileStatistics& file : found.files) {
    json.begin_object().field("path", valid_text(file.path));
    write_sums(json, file, corpus.has_text());
    json.end_object();
  }
  json.end_array().key("total").begin_object();
  write_sums(json, found.total, corpus.has_text());
  json.end_object();
  if (found.max_token) json.field("max_token", *found.max_token);
  write_lengths(json, found.lengths);
  write_held_out(json, found.held_out);
  if (found.rows) {
    write_rows(json, *found.rows, corpus.length());
  } else {
    json.key("rows").null();
  }
}

void write_mixture(JsonWriter& json,
                   const std::vector<SurveyedCorpus>& parts,
                   const data::MixtureConfig& mixture) {
  const MixtureStatistics all = sum(parts, mixture);
  json.key("parts").begin_array();
  for (const SurveyedCorpus& part : parts) {
    json.begin_object().field("part", valid_text(part.corpus.part));
    const auto share = all.shares.find(part.corpus.part);
    if (share != all.shares.end()) json.field("share", share->second);
    write_corpus(json, part);
    json.end_object();
  }
  json.end_array().key("total").begin_object();
  const bool has_text =
      std::ranges::all_of(parts, [](const SurveyedCorpus& part) { return part.corpus.has_text(); });
  write_sums(json, all.total, has_text);
  json.end_object();
  write_held_out(json, all.held_out);
  write_rows(json, all.rows, parts.front().corpus.length());
}

}  // namespace

void print_statistics_text(const std::vector<SurveyedCorpus>& corpora,
                           const std::optional<data::MixtureConfig>& mixture) {
  for (const SurveyedCorpus& surveyed : corpora) {
    if (mixture) std::cout << "part '" << tokenizers::escaped(surveyed.corpus.part) << "'\n";
    print_corpus(surveyed);
    if (mixture) std::cout << "\n";
  }
  if (mixture) print_mixture(corpora, *mixture);
}

void print_statistics_json(const std::vector<SurveyedCorpus>& corpora,
                           const std::optional<data::MixtureConfig>& mixture) {
  JsonWriter json;
  json.begin_object();
  if (mixture) {
    write_mixture(json, corpora, *mixture);
  } else {
    write_corpus(json, corpora.front());
  }
  std::cout << json.end_object().str() << "\n";
}

}  // namespace meshwright::cli
