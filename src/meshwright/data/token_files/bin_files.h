// SPDX-License-Identifier: Apache-2.0
// Internal to token_files/: .bin files with one array of tokens: of llm.c, or without a header.
#pragma once

#include <memory>
#include <string>

#include "meshwright/data/token_files/token_file.h"
#include "meshwright/data/token_files/token_writer.h"
#include "meshwright/io/file_system.h"

namespace meshwright::data {

/// True if the first bytes are those of a file of llm.c.
bool is_llmc(const io::ReadableFile& file);
/// Throws data_loss if the header is damaged or does not match the size of the file.
TokenFile open_llmc(const std::string& path, bool stays_open);
/// `options.dtype` may be u16 or u32.
std::unique_ptr<TokenWriter> llmc_writer(const std::string& path,
                                         const TokenWriterOptions& options);

/// Throws data_loss if the size of the file is no multiple of the dtype's.
TokenFile open_raw(const std::string& path, DType dtype, bool stays_open);
std::unique_ptr<TokenWriter> raw_writer(const std::string& path, const TokenWriterOptions& options);

}  // namespace meshwright::data
