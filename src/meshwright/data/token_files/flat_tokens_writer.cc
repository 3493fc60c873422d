// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/json_value.h"
#include "meshwright/base/str.h"
#include "meshwright/data/token_files/flat_tokens.h"
#include "meshwright/data/token_files/token_output.h"
#include "meshwright/io/file_system.h"
#include "meshwright/io/path.h"
#include "meshwright/io/zarr/array.h"
#include "meshwright/io/zarr/group.h"

namespace meshwright::data {
namespace {

// An array of one dimension that grows, compressed as seqax compresses it.
template <typename T>
class GrowingArray {
 public:
  GrowingArray(std::shared_ptr<io::FileSystem> files,
               std::string folder,
               std::int64_t chunk,
               bool is_delta)
      : files_(std::move(files)), folder_(std::move(folder)), chunk_(chunk), is_delta_(is_delta) {
    files_->make_folder(folder_);
  }

  void append(T value) {
    pending_.push_back(value);
    if (std::ssize(pending_) == chunk_) write_chunk();
  }

  void finish() {
    const std::int64_t size = num_chunks_ * chunk_ + std::ssize(pending_);
    if (!pending_.empty()) write_chunk();
    writer(size).write_metadata();
    files_->sync_folder(folder_);
  }

 private:
  io::zarr::Writer writer(std::int64_t size) const {
    return {files_,
            folder_,
            ArrayType{dtype_of<T>(), {size}},
            {.chunk = {chunk_},
             .compressor = io::zarr::Compressor::blosc,
             .level = 5,
             .shuffle = io::BloscShuffle::bits,
             .is_delta = is_delta_,
             .durability = io::Durability::synced}};
  }

  void write_chunk() {
    pending_.resize(static_cast<std::size_t>(chunk_));
    const std::int64_t end = (num_chunks_ + 1) * chunk_;
    writer(end).write_chunk({num_chunks_}, HostTensor::from(pending_, {chunk_}));
    ++num_chunks_;
    pending_.clear();
  }

  std::shared_ptr<io::FileSystem> files_;
  std::string folder_;
  std::int64_t chunk_;
  bool is_delta_;
  std::int64_t num_chunks_ = 0;
  std::vector<T> pending_;
};

constexpr std::int64_t kStartsPerChunk = std::int64_t{1} << 17;

// Where a split is written, and what is renamed to what when it is complete.
struct Destination {
  std::string root;   // of the file system
  std::string split;  // below the root
  std::string from, to;
};

Destination destination_of(const std::string& path, const std::string& split) {
  namespace fs = std::filesystem;
  MW_CHECK(split == "train" || split == "validation",
           "flat tokens have the splits train and validation, not ", split);
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(path, ignored)))
    return {str(path, ".partial"), split, str(path, ".partial"), path};
  const fs::path to = fs::path(path) / split;
  if (!is_flat_tokens(path) || fs::exists(fs::symlink_status(to, ignored))) {
    fail(ErrorCode::already_exists, "writing ", path, ": it exists already",
         is_flat_tokens(path) ? str(" and has ", split) : "");
  }
  const std::string partial = str(split, ".partial");
  return {path, partial, (fs::path(path) / partial).string(), to.string()};
}

class FlatTokensWriter : public TokenWriter {
 public:
  FlatTokensWriter(const std::string& path, const TokenWriterOptions& options)
      : at_(destination_of(path, options.split)),
        vocab_size_(options.vocab_size),
        files_(opened()),
        tokens_(files_, io::join_path(at_.split, "encoded_tokens"), options.chunk_tokens, false),
        starts_(files_, io::join_path(at_.split, "seq_starts"), kStartsPerChunk, true) {
    starts_.append(0);
  }
  ~FlatTokensWriter() override {
    std::error_code ignored;
    if (!is_finished_) std::filesystem::remove_all(at_.from, ignored);
  }

  void add_document(std::span<const std::uint32_t> tokens) override {
    check_vocabulary(tokens, vocab_size_, num_documents_, at_.to);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      tokens_.append(2 * tokens[i] + (i == 0 ? 1 : 0));
      max_token_ = std::max(max_token_, tokens[i]);
    }
    num_tokens_ += tokens.size();
    starts_.append(num_tokens_);
    ++num_documents_;
  }

  void finish() override {
    tokens_.finish();
    starts_.finish();
    const bool is_new = at_.from == at_.root;
    if (is_new) io::zarr::write_group(*files_, "");
    io::zarr::write_group(*files_, at_.split);
    io::zarr::write_attributes(
        *files_, at_.split,
        JsonValue(JsonValue::Object{{"max_token_id", JsonValue(std::int64_t{max_token_})}}));
    files_->sync_folder(at_.split);
    publish();
  }

 private:
  // Removes what a killed process left.
  std::shared_ptr<io::FileSystem> opened() const {
    std::filesystem::remove_all(at_.from);
    std::shared_ptr<io::FileSystem> out = io::open_file_system(at_.root);
    out->make_folder(at_.split);
    return out;
  }

  void publish() {
    std::error_code error;
    std::filesystem::rename(at_.from, at_.to, error);
    if (error) {
      fail(ErrorCode::unavailable, "renaming ", at_.from, " to ", at_.to, ": ", error.message());
    }
    is_finished_ = true;
    const std::filesystem::path parent = std::filesystem::absolute(at_.to).parent_path();
    io::open_file_system(parent.string())->sync_folder("");
  }

  Destination at_;
  std::int64_t vocab_size_;
  bool is_finished_ = false;
  std::shared_ptr<io::FileSystem> files_;
  GrowingArray<std::uint32_t> tokens_;
  GrowingArray<std::uint64_t> starts_;
  std::uint32_t max_token_ = 0;
  std::uint64_t num_tokens_ = 0;
  std::int64_t num_documents_ = 0;
};

}  // namespace

std::unique_ptr<TokenWriter> flat_tokens_writer(const std::string& path,
                                                const TokenWriterOptions& options) {
  MW_CHECK(!options.dtype, "flat tokens have a dtype of their own, not ", *options.dtype);
  constexpr std::int64_t kMostTokens = std::int64_t{1} << 31;
  MW_CHECK(options.vocab_size > 0 && options.vocab_size <= kMostTokens, "a vocabulary of ",
           options.vocab_size, " tokens cannot be stored as flat tokens");
  MW_CHECK(options.chunk_tokens > 0, "a chunk of ", options.chunk_tokens,
           " tokens is not possible");
  return std::make_unique<FlatTokensWriter>(path, options);
}

}  // namespace meshwright::data
