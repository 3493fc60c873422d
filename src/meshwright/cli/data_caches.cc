// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <set>
#include <system_error>

#include "meshwright/base/check.h"
#include "meshwright/base/counted.h"
#include "meshwright/base/json.h"
#include "meshwright/base/log.h"
#include "meshwright/cli/corpora.h"
#include "meshwright/cli/data_commands.h"
#include "meshwright/cli/human_bytes.h"
#include "meshwright/cli/json_tokens.h"
#include "meshwright/data/cache/stored_caches.h"
#include "meshwright/data/text/open_text.h"
#include "meshwright/metrics/format.h"
#include "meshwright/tokenizers/display/token_text.h"

namespace meshwright::cli {
namespace {

namespace fs = std::filesystem;
using data::CacheState;
using data::StoredCache;
using data::StoredNumbers;
using tokenizers::escaped;

constexpr char kName[] = "data caches";

struct CachesArgs {
  Args words;
  bool remove_stale = false, as_json = false;
  std::optional<std::int64_t> remove_unused;

  void declare(ArgumentParser& parser) {
    parser.description(
        "Lists the token caches in a folder, or in that of a config: the files that were "
        "tokenized, whether they are unchanged, sizes, and when a run last used them. Removes "
        "caches only with one of the options.");
    parser.flag("--remove-stale", remove_stale,
                "remove caches that no run can use: a file has changed or no longer exists, or "
                "the layout is that of an earlier version");
    parser.option("--remove-unused", remove_unused, {"DAYS"},
                  "remove caches and indexes that no run has used for so many days");
    parser.flag("--json", as_json, "print JSON");
    parser.positionals(words, {"CONFIG|FOLDER... [key.path=value...]", Offer::files},
                       "a config or run folder, or folders of token caches");
    parser.example("runs/text");
    parser.example("runs/token_cache --remove-stale --remove-unused 60");
  }
};

// The content of a folder of token caches.
struct Holding {
  fs::path folder;
  std::vector<StoredCache> caches;
  std::vector<StoredNumbers> indexes;
  std::set<fs::path> removed = {};
};

// Returns the folders of token caches that the arguments name.
std::vector<fs::path> folders_of(const CachesArgs& args) {
  const ConfigArgs split = split_config_args(args.words);
  MW_CHECK(!split.names.empty(), kName, ": no config or folder is named\nsee: meshwright ", kName,
           " --help");
  if (!names_config(split)) {
    MW_CHECK(split.overrides.empty(), kName, ": ", split.overrides.front(),
             " needs a config to change");
    for (const std::string& name : split.names) {
      std::error_code ignored;
      if (!fs::is_directory(name, ignored))
        fail(ErrorCode::not_found, kName, ": ", name, " is no folder");
    }
    return {split.names.begin(), split.names.end()};
  }
  std::set<fs::path> out;
  for (const Corpus& corpus : open_corpora(kName, {.words = args.words}).corpora)
    if (corpus.caches) out.insert(*corpus.caches);
  MW_CHECK(!out.empty(), kName, ": the data of ", split.names.front(), " needs no token cache");
  return {out.begin(), out.end()};
}

std::int64_t now_seconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

// The caches and indexes to remove.
class Selection {
 public:
  explicit Selection(const CachesArgs& args) : removes_stale_(args.remove_stale) {
    constexpr std::int64_t kDay = std::int64_t{24} * 60 * 60;
    if (!args.remove_unused) return;
    MW_CHECK(*args.remove_unused >= 0 && *args.remove_unused <= 100'000, kName,
             ": --remove-unused ", *args.remove_unused, " is no number of days from 0 to 100000");
    unused_since_ = now_seconds() - *args.remove_unused * kDay;
  }
  bool includes(const StoredCache& cache) const {
    return (removes_stale_ && cache.state == CacheState::stale) || is_old(cache.last_use_seconds);
  }
  bool includes(const StoredNumbers& index) const { return is_old(index.last_use_seconds); }

 private:
  bool is_old(std::int64_t last_use) const { return unused_since_ && last_use <= *unused_since_; }

  bool removes_stale_;
  std::optional<std::int64_t> unused_since_;
};

void remove(const Selection& selection, Holding& holding) {
  for (const StoredCache& cache : holding.caches) {
    if (!selection.includes(cache)) continue;
    if (data::remove_stored_cache(cache))
      holding.removed.insert(cache.folder);
    else
      log_warning(cache.folder.string(), " is not removed: a process is building it");
  }
  for (const StoredNumbers& index : holding.indexes) {
    std::error_code error;
    if (!selection.includes(index)) continue;
    fs::remove(index.file, error);
    MW_CHECK(!error, "removing ", index.file.string(), ": ", error.message());
    holding.removed.insert(index.file);
  }
}

std::string since(std::int64_t seconds) {
  return metrics::duration(static_cast<double>(std::max<std::int64_t>(0, now_seconds() - seconds)));
}

std::string files_text(const std::vector<std::string>& files) {
  if (files.empty()) return "";
  const std::int64_t num_more = std::ssize(files) - 1;
  return str("  ", escaped(files.front()),
             num_more == 0 ? "" : str(" and ", counted(num_more, "more file")), "\n");
}

void print_cache(const StoredCache& cache, bool is_removed) {
  std::cout << escaped(cache.folder.string()) << ": " << cache_state_name(cache.state)
            << (cache.reason.empty() ? "" : ", ") << escaped(cache.reason)
            << (is_removed ? "; removed" : "") << "\n"
            << files_text(cache.files) << "  " << counted(cache.num_documents, "document") << ", "
            << counted(cache.num_tokens, "token") << ", " << human_bytes(cache.num_bytes)
            << ", last used " << since(cache.last_use_seconds) << " ago\n";
}

void print_indexes(const Holding& holding) {
  std::int64_t num_bytes = 0, num_removed = 0, last_use = 0;
  for (const StoredNumbers& index : holding.indexes) {
    num_bytes += index.num_bytes;
    num_removed += static_cast<std::int64_t>(holding.removed.count(index.file));
    last_use = std::max(last_use, index.last_use_seconds);
  }
  if (holding.indexes.empty()) return;
  std::cout << escaped(holding.indexes.front().file.parent_path().string()) << ": "
            << counted(std::ssize(holding.indexes), "index", "indexes") << ", "
            << human_bytes(num_bytes) << ", last used " << since(last_use) << " ago"
            << (num_removed > 0 ? str("; removed ", num_removed) : "") << "\n";
}

void print_text(const Holding& holding) {
  std::int64_t num_bytes = 0, num_stale = 0;
  for (const StoredCache& cache : holding.caches) {
    const bool is_removed = holding.removed.contains(cache.folder);
    print_cache(cache, is_removed);
    num_bytes += cache.num_bytes;
    num_stale += cache.state == CacheState::stale && !is_removed;
  }
  print_indexes(holding);
  std::cout << escaped(holding.folder.string()) << ": "
            << counted(std::ssize(holding.caches), "token cache") << ", " << human_bytes(num_bytes)
            << "\n";
  if (num_stale > 0)
    std::cout << "to remove " << counted(num_stale, "stale cache") << ": --remove-stale\n";
}

void write_json(JsonWriter& json, const Holding& holding) {
  for (const StoredCache& cache : holding.caches) {
    json.begin_object().field("folder", valid_text(cache.folder.string()));
    json.field("state", cache_state_name(cache.state)).field("reason", valid_text(cache.reason));
    json.key("files").begin_array();
    for (const std::string& file : cache.files)
      json.value(valid_text(file));
    json.end_array()
        .field("documents", cache.num_documents)
        .field("tokens", cache.num_tokens)
        .field("bytes", cache.num_bytes)
        .field("last_used", cache.last_use_seconds)
        .field("removed", holding.removed.contains(cache.folder))
        .end_object();
  }
}

void write_indexes(JsonWriter& json, const Holding& holding) {
  for (const StoredNumbers& index : holding.indexes)
    json.begin_object()
        .field("file", valid_text(index.file.string()))
        .field("bytes", index.num_bytes)
        .field("last_used", index.last_use_seconds)
        .field("removed", holding.removed.contains(index.file))
        .end_object();
}

void print_json(const std::vector<Holding>& holdings) {
  JsonWriter json;
  json.begin_object().key("caches").begin_array();
  for (const Holding& holding : holdings)
    write_json(json, holding);
  json.end_array().key("indexes").begin_array();
  for (const Holding& holding : holdings)
    write_indexes(json, holding);
  std::cout << json.end_array().end_object().str() << "\n";
}

int run(const CachesArgs& args) {
  const Selection selection(args);
  std::vector<Holding> holdings;
  for (const fs::path& folder : folders_of(args)) {
    holdings.push_back({.folder = folder,
                        .caches = data::find_stored_caches(folder),
                        .indexes = data::indexes_in(folder).files()});
    remove(selection, holdings.back());
  }
  if (args.as_json) {
    print_json(holdings);
  } else {
    for (const Holding& holding : holdings)
      print_text(holding);
  }
  return 0;
}

}  // namespace

CommandBody list_caches(const std::string& name) {
  return make_command<CachesArgs>(name, run);
}

}  // namespace meshwright::cli
