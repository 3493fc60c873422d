// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/live_text.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/printable.h"
#include "meshwright/cli/prompts.h"

namespace meshwright::cli {
namespace {

// Returns the index from which on the text may be the beginning of a stop.
std::size_t begin_of_stop(std::string_view text, const std::vector<std::string>& stops) {
  std::size_t longest = 0;
  for (const std::string_view stop : stops)
    longest = std::max(longest, stop.size());
  for (std::size_t at = text.size() - std::min(longest, text.size()); at < text.size(); ++at)
    for (const std::string_view stop : stops)
      if (stop.size() > text.size() - at && stop.starts_with(text.substr(at))) return at;
  return text.size();
}

}  // namespace

std::string LiveText::settled(const train::GeneratedText& made) {
  if (made.is_complete) {
    is_over_ = true;
    train::GeneratedText copy = made;
    return text_before(*codec_, *stops_, copy);
  }
  if (!codec_->decode_settled) return "";
  const std::string text = codec_->decode_settled(made.tokens);
  const std::size_t stop = first_stop(text, *stops_), begin = begin_of_stop(text, *stops_);
  is_over_ = stop < begin;
  return text.substr(0, std::min(stop, begin));
}

std::string LiveText::next(const train::GeneratedText& made) {
  const std::string text = settled(made);
  if (text.size() < num_shown_)
    fail(ErrorCode::internal, "generate: the text has become shorter than what was printed");
  return text.substr(std::exchange(num_shown_, text.size()));
}

bool LiveLines::show(const std::vector<train::GeneratedText>& texts) {
  for (; row_ < texts.size(); ++row_, text_ = LiveText(codec_, stops_)) {
    const std::string text = in_one_line(text_.next(texts[row_]));
    if (!text.empty() || text_.is_over()) print_(text_.is_over() ? text + "\n" : text);
    if (!text_.is_over()) return true;
  }
  return false;
}

}  // namespace meshwright::cli
