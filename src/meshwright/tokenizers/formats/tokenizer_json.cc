// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/formats/tokenizer_json.h"

#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/base/json_value.h"
#include "meshwright/base/str.h"
#include "meshwright/tokenizers/formats/json_tokenizer.h"

namespace meshwright::tokenizers {
namespace {

// A vocabulary of 256,000 tokens with as many merges takes about 150 MB.
constexpr std::size_t kMostJsonBytes = std::size_t{1} << 30;

}  // namespace

std::unique_ptr<Tokenizer> read_tokenizer_json(std::string text, std::string_view what) {
  const std::string is_none = str(what, " is not a tokenizer");
  const JsonValue json = parse_json(text, is_none, kMostJsonBytes);
  if (json.find("model") == nullptr) fail(ErrorCode::data_loss, is_none, ": it has no 'model'");
  try {
    return std::make_unique<JsonTokenizer>(std::move(text), json);
  } catch (const Error& error) {
    throw error.code() == ErrorCode::invalid_argument
        ? Error(ErrorCode::data_loss, error.message()).with_context(what)
        : error.with_context(what);
  }
}

}  // namespace meshwright::tokenizers
