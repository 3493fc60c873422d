// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/token_printer.h"

#include <algorithm>
#include <iostream>
#include <string>

#include "meshwright/base/counted.h"
#include "meshwright/base/json.h"
#include "meshwright/base/log.h"
#include "meshwright/cli/json_tokens.h"
#include "meshwright/metrics/format.h"
#include "meshwright/tokenizers/display/token_text.h"

namespace meshwright::cli {

using tokenizers::Id;
using tokenizers::TokenText;

void TokenPrinter::print(std::string_view text, std::span<const Id> ids) {
  switch (style_) {
    case TokenStyle::ids:
      std::cout << join(std::vector<Id>(ids.begin(), ids.end()), " ") << "\n";
      break;
    case TokenStyle::pieces:
      print_pieces(ids);
      break;
    case TokenStyle::json:
      print_json(text, ids);
      break;
  }
  num_bytes_ += std::ssize(text);
  num_tokens_ += std::ssize(ids);
}

void TokenPrinter::log_totals() const {
  const double ratio =
      static_cast<double>(num_bytes_) / static_cast<double>(std::max<std::int64_t>(1, num_tokens_));
  log_info(counted(num_tokens_, "token"), " for ", counted(num_bytes_, "byte"), ", ",
           metrics::significant(ratio, 3), " bytes per token; ", tokenizer_.description());
}

void TokenPrinter::print_pieces(std::span<const Id> ids) const {
  for (const TokenText& piece : token_texts(tokenizer_, ids)) {
    const auto group = ids.subspan(piece.begin, piece.end - piece.begin);
    std::cout << join(std::vector<Id>(group.begin(), group.end()), " ") << "\t"
              << tokenizers::escaped(piece.text) << "\n";
  }
}

void TokenPrinter::print_json(std::string_view text, std::span<const Id> ids) const {
  JsonWriter json;
  json.begin_object().field("text", valid_text(text));
  write_tokens(json, ids);
  write_pieces(json, token_texts(tokenizer_, ids));
  std::cout << json.end_object().str() << "\n";
}

}  // namespace meshwright::cli
