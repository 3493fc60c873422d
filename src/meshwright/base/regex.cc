// SPDX-License-Identifier: Apache-2.0
#define PCRE2_CODE_UNIT_WIDTH 8
#include "meshwright/base/regex.h"

#include <array>

#include <pcre2.h>

#include "meshwright/base/error.h"

namespace meshwright {
namespace {

// Limits per match: backtracking steps, and KiB of memory for them. Realistic patterns take some
// hundreds of steps; without a limit, some short patterns would take years.
constexpr std::uint32_t kMostAttempts = 1'000'000;
constexpr std::uint32_t kMostKibibytes = 16 << 10;

std::string message_of(int error) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(error, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

template <typename T, void (*free)(T*)>
struct Freed {
  void operator()(T* pointer) const { free(pointer); }
};
using Code = std::unique_ptr<pcre2_code, Freed<pcre2_code, pcre2_code_free>>;
using Match = std::unique_ptr<pcre2_match_data, Freed<pcre2_match_data, pcre2_match_data_free>>;
using Limits =
    std::unique_ptr<pcre2_match_context, Freed<pcre2_match_context, pcre2_match_context_free>>;

PCRE2_SPTR units(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

}  // namespace

struct Regex::Compiled {
  Code code;
  Limits limits;
};

Regex::Regex(std::string pattern) : pattern_(std::move(pattern)) {
  int error = 0;
  PCRE2_SIZE at = 0;
  constexpr std::uint32_t kWhole = PCRE2_ANCHORED | PCRE2_ENDANCHORED;
  constexpr std::uint32_t kOptions = kWhole | PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;
  // Other grammars read '{,n}' as a quantifier; PCRE2 reads it literally.
  if (pattern_.find("{,") != pattern_.npos)
    fail(ErrorCode::invalid_argument, "regular expression '", pattern_,
         "': '{,' is not supported; write '{0,'");
  Code code(pcre2_compile(units(pattern_), pattern_.size(), kOptions, &error, &at, nullptr));
  if (code == nullptr)
    fail(ErrorCode::invalid_argument, "regular expression '", pattern_, "', character ", at + 1,
         ": ", message_of(error));
  Limits limits(pcre2_match_context_create(nullptr));
  if (limits == nullptr) throw std::bad_alloc();
  pcre2_set_match_limit(limits.get(), kMostAttempts);
  pcre2_set_heap_limit(limits.get(), kMostKibibytes);
  compiled_ = std::make_shared<const Compiled>(Compiled{std::move(code), std::move(limits)});
}

std::optional<std::vector<std::string_view>> Regex::groups(std::string_view text) const {
  const Match match(pcre2_match_data_create_from_pattern(compiled_->code.get(), nullptr));
  if (match == nullptr) throw std::bad_alloc();
  const int result = pcre2_match(compiled_->code.get(), units(text), text.size(), 0, 0, match.get(),
                                 compiled_->limits.get());
  if (result == PCRE2_ERROR_NOMATCH) return std::nullopt;
  if (result < 0)
    fail(ErrorCode::invalid_argument, "regular expression '", pattern_, "' against '", text,
         "': ", message_of(result), "\nuse fewer nested repetitions");
  const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(match.get());
  std::vector<std::string_view> out(pcre2_get_ovector_count(match.get()));
  for (std::size_t i = 0; i < out.size(); ++i)
    if (ends[2 * i] != PCRE2_UNSET)
      out[i] = text.substr(ends[2 * i], ends[2 * i + 1] - ends[2 * i]);
  return out;
}

}  // namespace meshwright
