// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/survey/document_statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "meshwright/base/error.h"
#include "meshwright/data/text/document_rules.h"

namespace meshwright::data {
namespace {

// Counts the documents that equal an earlier one.
class Duplicates {
 public:
  Duplicates(const Documents& all, std::vector<FileStatistics>& files) : all_(all), files_(files) {
    std::int64_t end = 0;
    for (const FileStatistics& file : files)
      file_ends_.push_back(end += file.documents.num_documents);
  }

  // Only documents of equal length are compared, since hashing a large file takes time.
  void count() {
    std::vector<Numbered> by_length;
    for (std::int64_t i = 0; i < all_.num_documents(); ++i)
      by_length.emplace_back(static_cast<std::uint64_t>(all_.length(i)), i);
    std::ranges::sort(by_length);
    for (auto begin = by_length.begin(); begin != by_length.end();) {
      const auto end = std::find_if(begin, by_length.end(), [&](const Numbered& document) {
        return document.first != begin->first;
      });
      if (end - begin > 1) count_equal({begin, end});
      begin = end;
    }
  }

 private:
  using Numbered = std::pair<std::uint64_t, std::int64_t>;  // a length or hash, and the document

  void count_equal(std::vector<Numbered> some) {
    for (auto& [hash, document] : some)
      hash = all_.content_hash(document);
    std::ranges::sort(some);
    for (std::size_t i = 1; i < some.size(); ++i) {
      if (some[i].first != some[i - 1].first) continue;
      const auto file = std::ranges::upper_bound(file_ends_, some[i].second) - file_ends_.begin();
      ++files_[static_cast<std::size_t>(file)].documents.num_duplicates;
    }
  }

  const Documents& all_;
  std::vector<FileStatistics>& files_;
  std::vector<std::int64_t> file_ends_;  // number of documents up to the end of each file
};

LengthStatistics lengths_of(const Documents& all) {
  std::vector<std::int64_t> sorted;
  for (std::int64_t i = 0; i < all.num_documents(); ++i)
    sorted.push_back(all.length(i));
  if (sorted.empty()) return {};
  std::ranges::sort(sorted);
  // The value below or at which a fraction of the documents are.
  auto quantile = [&](double fraction) {
    const double rank = std::ceil(fraction * static_cast<double>(sorted.size()));
    return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
  };
  LengthStatistics out{.min = sorted.front(),
                       .p5 = quantile(0.05),
                       .median = quantile(0.5),
                       .p95 = quantile(0.95),
                       .max = sorted.back()};
  for (const std::int64_t length : sorted) {
    const auto power = static_cast<std::size_t>(
        std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(length, 1))) - 1);
    if (power >= out.num_by_power.size()) out.num_by_power.resize(power + 1);
    ++out.num_by_power[power];
  }
  return out;
}

RowStatistics row_statistics(const TextConfig& settings, const RowPlan& plan) {
  const std::int64_t row_length = settings.length + 1;
  RowStatistics out{.num_rows = plan.num_rows(), .num_tokens = plan.num_rows() * row_length};
  if (settings.row_kind() == RowKind::concatenated) return out;  // rows are full
  for (std::int64_t row = 0; row < plan.num_rows(); ++row) {
    out.num_padding += row_length;
    for (const Slice& slice : plan.row(row))
      out.num_padding -= slice.length;
  }
  return out;
}

}  // namespace

void add_lengths(const Documents& all, CorpusStatistics& out) {
  Duplicates(all, out.files).count();
  out.total = {.path = "total"};
  for (const FileStatistics& file : out.files) {
    out.total.records += file.records;
    out.total.documents += file.documents;
  }
  out.lengths = lengths_of(all);
}

void add_rows(const TextConfig& settings,
              const DocumentsPtr& training,
              std::int64_t seed,
              CorpusStatistics& out) {
  try {
    out.rows = row_statistics(settings, *row_plan(settings, training, settings.length, seed));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_argument) throw;
    out.no_rows = error.what();
  }
}

void add_split(const TextConfig& settings,
               const DocumentsPtr& all,
               std::int64_t seed,
               CorpusStatistics& out) {
  Split split;
  try {
    split = split_documents(settings, all);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_argument) throw;
    out.no_rows = error.what();
    return;
  }
  if (split.held_out) {
    out.held_out.num_documents = split.held_out->num_documents();
    out.held_out.num_tokens = num_tokens(*split.held_out);
  }
  add_rows(settings, split.training, seed, out);
}

}  // namespace meshwright::data
