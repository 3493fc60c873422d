// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/token_files/token_writer.h"

#include "meshwright/base/error.h"
#include "meshwright/data/token_files/bin_files.h"
#include "meshwright/data/token_files/flat_tokens.h"
#include "meshwright/data/token_files/megatron.h"
#include "meshwright/data/token_files/npy.h"

namespace meshwright::data {

std::string_view token_format_name(TokenFormat format) {
  switch (format) {
    case TokenFormat::megatron:
      return "megatron";
    case TokenFormat::llmc:
      return "llmc";
    case TokenFormat::raw:
      return "raw";
    case TokenFormat::npy:
      return "npy";
    case TokenFormat::npz:
      return "npz";
    case TokenFormat::flat_tokens:
      return "flat_tokens";
  }
  return "";
}

std::unique_ptr<TokenWriter> open_token_writer(const std::string& path,
                                               TokenFormat format,
                                               const TokenWriterOptions& options) {
  switch (format) {
    case TokenFormat::megatron:
      return megatron_writer(path, options);
    case TokenFormat::llmc:
      return llmc_writer(path, options);
    case TokenFormat::raw:
      return raw_writer(path, options);
    case TokenFormat::npy:
      return npy_writer(path, options);
    case TokenFormat::npz:
      return npz_writer(path, options);
    case TokenFormat::flat_tokens:
      return flat_tokens_writer(path, options);
  }
  fail(ErrorCode::internal, "unknown format");
}

}  // namespace meshwright::data
