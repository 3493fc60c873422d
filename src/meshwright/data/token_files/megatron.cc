// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/token_files/megatron.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "meshwright/base/append_bytes.h"
#include "meshwright/base/check.h"
#include "meshwright/base/str.h"
#include "meshwright/data/records/data_files.h"
#include "meshwright/data/token_files/little_endian.h"
#include "meshwright/data/token_files/token_output.h"
#include "meshwright/io/user_file.h"

namespace meshwright::data {
namespace {

// Layout of an index: magic, version u64, dtype u8, numbers of sequences and of entries in the list
// of documents, both u64; lengths s32 and positions s64 in bytes of the sequences; the first
// sequence of each document and the number of sequences, s64; in some files, one byte per sequence.
constexpr std::string_view kMagic("MMIDIDX\0\0", 9);
constexpr std::uint64_t kVersion = 1;
constexpr std::uint64_t kIndexHeaderBytes = 34;
constexpr std::int64_t kMaxTokens = std::int64_t{1} << 56;
constexpr std::array kDTypes = {DType::u8,  DType::s8,  DType::s16, DType::s32,
                                DType::s64, DType::f64, DType::f32, DType::u16};

struct Index {
  DType dtype = DType::u16;
  std::uint64_t num_sequences = 0;
  std::uint64_t num_documents = 0;  // entries, one more than there are documents
};

DType dtype_of_code(std::uint8_t code, const std::string& path) {
  if (code < 1 || code > kDTypes.size())
    fail(ErrorCode::data_loss, path, ": ", code, " is no code of a dtype");
  const DType dtype = kDTypes[code - 1u];
  if (!is_token_dtype(dtype))
    fail(ErrorCode::unimplemented, path, ": holds ", dtype, ", expected integers");
  return dtype;
}

std::uint8_t code_of_dtype(DType dtype) {
  const auto found = std::ranges::find(kDTypes, dtype);
  MW_CHECK(found != kDTypes.end(), "Megatron's files cannot hold ", dtype);
  return static_cast<std::uint8_t>(found - kDTypes.begin() + 1);
}

Index read_header(const io::ReadableFile& file, const std::string& path) {
  if (file.num_bytes() < kIndexHeaderBytes)
    fail(ErrorCode::data_loss, path, ": has ", file.num_bytes(), " bytes, too few for an index");
  io::Buffer header(kIndexHeaderBytes);
  file.read(0, header.span());
  if (!header.text().starts_with(kMagic))
    fail(ErrorCode::data_loss, path, ": is no index of Megatron: it does not begin with MMIDIDX");
  const auto version = number_at<std::uint64_t>(header.span(), 9);
  if (version != kVersion)
    fail(ErrorCode::unimplemented, path, ": has version ", version, ", expected ", kVersion);
  Index out{.dtype = dtype_of_code(number_at<std::uint8_t>(header.span(), 17), path),
            .num_sequences = number_at<std::uint64_t>(header.span(), 18),
            .num_documents = number_at<std::uint64_t>(header.span(), 26)};
  const std::uint64_t room = file.num_bytes() - kIndexHeaderBytes;
  const bool can_fit = out.num_sequences <= room / 12 && out.num_documents <= room / 8;
  const std::uint64_t expected = can_fit ? 12 * out.num_sequences + 8 * out.num_documents : 0;
  if (!can_fit || (room != expected && room != expected + out.num_sequences)) {
    fail(ErrorCode::data_loss, path, ": has ", file.num_bytes(),
         " bytes, which does not fit the index of ", out.num_sequences, " sequences and ",
         out.num_documents, " entries of documents in its header");
  }
  return out;
}

// Returns the first token of each sequence, followed by the number of tokens.
std::vector<std::int64_t> read_sequences(const io::ReadableFile& file,
                                         const std::string& path,
                                         const Index& index) {
  const auto element_bytes = static_cast<std::int64_t>(byte_size(index.dtype));
  const std::uint64_t positions = kIndexHeaderBytes + 4 * index.num_sequences;
  const NumberReader<std::int32_t> lengths(file, kIndexHeaderBytes, index.num_sequences);
  const NumberReader<std::int64_t> pointers(file, positions, index.num_sequences);
  std::vector<std::int64_t> out = {0};
  out.reserve(index.num_sequences + 1);
  for (std::uint64_t i = 0; i < index.num_sequences; ++i) {
    const std::int32_t length = lengths[i];
    if (length < 0) fail(ErrorCode::data_loss, path, ": sequence ", i, " has a length of ", length);
    if (pointers[i] != out.back() * element_bytes) {
      fail(ErrorCode::data_loss, path, ": sequence ", i, " begins at byte ", pointers[i],
           ", expected ", out.back() * element_bytes, ", the end of the sequence before");
    }
    out.push_back(out.back() + length);
    if (out.back() > kMaxTokens)
      fail(ErrorCode::data_loss, path, ": has more than ", kMaxTokens, " tokens");
  }
  return out;
}

std::vector<std::int64_t> read_documents(const io::ReadableFile& file,
                                         const std::string& path,
                                         const Index& index) {
  const std::vector<std::int64_t> sequences = read_sequences(file, path, index);
  const NumberReader<std::int64_t> firsts(file, kIndexHeaderBytes + 12 * index.num_sequences,
                                          index.num_documents);
  std::vector<std::int64_t> out;
  out.reserve(index.num_documents);
  std::int64_t previous = 0;
  for (std::uint64_t i = 0; i < index.num_documents; ++i) {
    const std::int64_t first = firsts[i];
    if (first < previous || first >= std::ssize(sequences) || (i == 0 && first != 0)) {
      fail(ErrorCode::data_loss, path, ": document ", i, " begins with sequence ", first, " of ",
           index.num_sequences, ", expected at least ", previous);
    }
    out.push_back(sequences[static_cast<std::size_t>(first)]);
    previous = first;
  }
  if (out.empty() || previous + 1 != std::ssize(sequences)) {
    fail(ErrorCode::data_loss, path, ": the documents end at sequence ", previous, ", expected ",
         index.num_sequences);
  }
  return out;
}

bool is_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

class MegatronWriter : public TokenWriter {
 public:
  MegatronWriter(const std::string& prefix, const StoredAs& stored)
      : tokens_(prefix + ".bin", stored, 0), index_(prefix + ".idx") {
    code_ = code_of_dtype(stored.dtype);
  }

  void add_document(std::span<const std::uint32_t> tokens) override {
    MW_CHECK(tokens.size() <= std::numeric_limits<std::int32_t>::max(), "writing ", tokens_.path(),
             ": document ", tokens_.num_documents(), " has ", tokens.size(),
             " tokens, more than 2147483647");
    tokens_.add_document(tokens);
    lengths_.push_back(static_cast<std::int32_t>(tokens.size()));
  }

  // The index comes last: without it, the tokens are no data set.
  void finish() override {
    write_index();
    index_.sync();
    tokens_.file().publish();
    index_.publish();
  }

 private:
  void write_index() {
    std::string header(kMagic);
    append_number(header, kVersion);
    append_number(header, code_);
    append_number(header, std::uint64_t{lengths_.size()});
    append_number(header, std::uint64_t{lengths_.size()} + 1);
    index_.append(io::as_bytes(header));
    index_.append(std::as_bytes(std::span(lengths_)));
    const auto element_bytes = static_cast<std::int64_t>(byte_size(tokens_.stored().dtype));
    std::int64_t position = 0;
    for (const std::int32_t length : lengths_) {
      append(position);
      position += length * element_bytes;
    }
    for (std::int64_t i = 0; i <= std::ssize(lengths_); ++i)
      append(i);
  }
  void append(std::int64_t number) { index_.append(std::as_bytes(std::span(&number, 1))); }

  TokenOutput tokens_;
  io::UserFileWriter index_;
  std::uint8_t code_ = 0;
  std::vector<std::int32_t> lengths_;
};

// Returns the path without .bin or .idx.
std::string prefix_of(const std::string& path) {
  const std::filesystem::path extension = std::filesystem::path(path).extension();
  const bool is_known = extension == ".bin" || extension == ".idx";
  return is_known ? path.substr(0, path.size() - 4) : path;
}

}  // namespace

std::optional<std::string> find_megatron(const std::string& path) {
  const std::string prefix = prefix_of(path);
  if (!is_file(prefix + ".idx")) return std::nullopt;
  return prefix;
}

TokenFile open_megatron(const std::string& prefix, bool stays_open) {
  const std::string index_path = prefix + ".idx", tokens_path = prefix + ".bin";
  const std::unique_ptr<io::ReadableFile> file = io::open_user_file(index_path);
  const Index index = read_header(*file, index_path);
  TokenFile out{.begins = read_documents(*file, index_path, index)};
  if (!is_file(tokens_path)) {
    fail(ErrorCode::data_loss, index_path, ": the tokens it describes are missing: ", tokens_path,
         " does not exist");
  }
  const DataFile tokens = describe_data_file(tokens_path);
  const auto element_bytes = static_cast<std::int64_t>(byte_size(index.dtype));
  const std::int64_t num_tokens = out.begins.values().back();
  if (num_tokens > tokens.num_bytes / element_bytes ||
      num_tokens * element_bytes != tokens.num_bytes) {
    fail(ErrorCode::data_loss, tokens_path, ": has ", tokens.num_bytes,
         " bytes, but its index has ", num_tokens, " tokens of ", element_bytes, " bytes");
  }
  out.tokens = plain_tokens(
      {.path = tokens_path, .size = num_tokens, .dtype = index.dtype, .stays_open = stays_open});
  out.fingerprint = str(tokens.num_bytes, " ", tokens.sample_digest, " ", index.dtype);
  out.modified_nanoseconds = tokens.modified_nanoseconds;
  return out;
}

std::unique_ptr<TokenWriter> megatron_writer(const std::string& path,
                                             const TokenWriterOptions& options) {
  constexpr std::int64_t kMostForU16 = 65499;  // as Megatron itself
  return std::make_unique<MegatronWriter>(
      prefix_of(path), stored_as(options.vocab_size, options.dtype, DType::s32, kMostForU16));
}

}  // namespace meshwright::data
