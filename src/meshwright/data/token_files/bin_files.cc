// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/token_files/bin_files.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "meshwright/base/append_bytes.h"
#include "meshwright/base/check.h"
#include "meshwright/base/str.h"
#include "meshwright/data/records/data_files.h"
#include "meshwright/data/token_files/little_endian.h"
#include "meshwright/data/token_files/token_output.h"
#include "meshwright/io/user_file.h"

namespace meshwright::data {
namespace {

// llm.c: 256 integers s32, of which the first three are used; then the tokens.
constexpr std::size_t kHeaderBytes = 1024;
struct LlmcKind {
  std::int32_t magic, version;
  DType dtype;
};
constexpr std::array kLlmcKinds = {LlmcKind{20240520, 1, DType::u16},   // tokens of GPT-2
                                   LlmcKind{20240801, 7, DType::u32}};  // tokens of Llama 3
constexpr std::int32_t kLlmcEvaluation = 20240522;

std::int32_t magic_of(const io::ReadableFile& file) {
  std::int32_t out = 0;
  if (file.num_bytes() >= sizeof(out)) file.read(0, std::as_writable_bytes(std::span(&out, 1)));
  return out;
}

const LlmcKind& kind_of(const std::string& path, std::int32_t magic, std::int32_t version) {
  if (magic == kLlmcEvaluation) {
    fail(ErrorCode::unimplemented, path,
         ": holds llm.c's multiple-choice questions, not a sequence of tokens");
  }
  const auto found = std::ranges::find(kLlmcKinds, magic, &LlmcKind::magic);
  if (found == kLlmcKinds.end())
    fail(ErrorCode::data_loss, path, ": is no file of llm.c: its magic number is ", magic);
  if (found->version != version) {
    fail(ErrorCode::unimplemented, path, ": has version ", version, ", expected ", found->version,
         " for the magic number ", magic);
  }
  return *found;
}

std::string llmc_header(const LlmcKind& kind, std::int64_t num_tokens) {
  std::string out;
  append_number(out, kind.magic);
  append_number(out, kind.version);
  append_number(out, static_cast<std::int32_t>(num_tokens));
  out.resize(kHeaderBytes);
  return out;
}

class LlmcWriter : public TokenWriter {
 public:
  LlmcWriter(const std::string& path, const StoredAs& stored)
      : kind_(*std::ranges::find(kLlmcKinds, stored.dtype, &LlmcKind::dtype)),
        tokens_(path, stored, kHeaderBytes) {}

  void add_document(std::span<const std::uint32_t> tokens) override {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    MW_CHECK(tokens_.num_tokens() + std::ssize(tokens) <= kMost, "writing ", tokens_.path(),
             ": files of llm.c have at most ", kMost, " tokens\nwrite several files");
    tokens_.add_document(tokens);
  }
  void finish() override {
    tokens_.write_header(llmc_header(kind_, tokens_.num_tokens()));
    tokens_.file().publish();
  }

 private:
  LlmcKind kind_;
  TokenOutput tokens_;
};

class RawWriter : public TokenWriter {
 public:
  RawWriter(const std::string& path, const StoredAs& stored) : tokens_(path, stored, 0) {}
  void add_document(std::span<const std::uint32_t> tokens) override {
    tokens_.add_document(tokens);
  }
  void finish() override { tokens_.file().publish(); }

 private:
  TokenOutput tokens_;
};

}  // namespace

bool is_llmc(const io::ReadableFile& file) {
  const std::int32_t magic = magic_of(file);
  return magic == kLlmcEvaluation ||
         std::ranges::find(kLlmcKinds, magic, &LlmcKind::magic) != kLlmcKinds.end();
}

TokenFile open_llmc(const std::string& path, bool stays_open) {
  const std::unique_ptr<io::ReadableFile> file = io::open_user_file(path);
  if (file->num_bytes() < kHeaderBytes) {
    fail(ErrorCode::data_loss, path, ": has ", file->num_bytes(),
         " bytes, too few for the header of a file of llm.c");
  }
  const NumberReader<std::int32_t> header(*file, 0, kHeaderBytes / sizeof(std::int32_t));
  const LlmcKind& kind = kind_of(path, header[0], header[1]);
  const std::int64_t num_tokens = header[2];
  const auto room = static_cast<std::int64_t>((file->num_bytes() - kHeaderBytes));
  const auto element_bytes = static_cast<std::int64_t>(byte_size(kind.dtype));
  if (num_tokens < 0 || num_tokens * element_bytes != room) {
    fail(ErrorCode::data_loss, path, ": has ", file->num_bytes(), " bytes, but its header says ",
         num_tokens, " tokens of ", element_bytes, " bytes");
  }
  const DataFile described = describe_data_file(path);
  return {.tokens = plain_tokens({.path = path,
                                  .offset = kHeaderBytes,
                                  .size = num_tokens,
                                  .dtype = kind.dtype,
                                  .stays_open = stays_open}),
          .fingerprint = str(room, " ", described.sample_digest),
          .modified_nanoseconds = described.modified_nanoseconds};
}

std::unique_ptr<TokenWriter> llmc_writer(const std::string& path,
                                         const TokenWriterOptions& options) {
  const StoredAs stored = stored_as(options.vocab_size, options.dtype, DType::u32);
  MW_CHECK(stored.dtype == DType::u16 || stored.dtype == DType::u32,
           "files of llm.c hold u16 or u32, not ", stored.dtype);
  return std::make_unique<LlmcWriter>(path, stored);
}

TokenFile open_raw(const std::string& path, DType dtype, bool stays_open) {
  const DataFile file = describe_data_file(path);
  const auto element_bytes = static_cast<std::int64_t>(byte_size(dtype));
  if (file.num_bytes % element_bytes != 0) {
    fail(ErrorCode::data_loss, path, ": has ", file.num_bytes, " bytes, no multiple of the ",
         element_bytes, " of ", dtype);
  }
  return {.tokens = plain_tokens({.path = path,
                                  .size = file.num_bytes / element_bytes,
                                  .dtype = dtype,
                                  .stays_open = stays_open}),
          .fingerprint = str(file.num_bytes, " ", file.sample_digest, " ", dtype),
          .modified_nanoseconds = file.modified_nanoseconds};
}

std::unique_ptr<TokenWriter> raw_writer(const std::string& path,
                                        const TokenWriterOptions& options) {
  return std::make_unique<RawWriter>(path,
                                     stored_as(options.vocab_size, options.dtype, DType::u32));
}

}  // namespace meshwright::data
