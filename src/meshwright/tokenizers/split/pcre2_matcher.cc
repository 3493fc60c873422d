// SPDX-License-Identifier: Apache-2.0
#define PCRE2_CODE_UNIT_WIDTH 8
#include "meshwright/tokenizers/split/pcre2_matcher.h"

#include <array>
#include <new>
#include <utility>

#include <pcre2.h>

#include "meshwright/base/error.h"

namespace meshwright::tokenizers {
namespace {

// Limits of one match: memory for backtracking, and steps where the compiled program does not
// serve.
constexpr std::uint32_t kMostKibibytes = 256 << 10;
constexpr std::uint32_t kMostSteps = 100'000'000;

template <typename T, void (*free)(T*)>
struct Freed {
  void operator()(T* pointer) const { free(pointer); }
};
template <typename T, void (*free)(T*)>
using Owned = std::unique_ptr<T, Freed<T, free>>;

std::string message_of(int error) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(error, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

PCRE2_SPTR units(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

}  // namespace

struct Pcre2Pattern::Compiled {
  Owned<pcre2_code, pcre2_code_free> code;
};

struct Pcre2Matcher::State {
  Owned<pcre2_match_data, pcre2_match_data_free> match;
  Owned<pcre2_match_context, pcre2_match_context_free> limits;
};

Pcre2Pattern::Pcre2Pattern(const std::string& pattern, std::string original)
    : original_(std::move(original)) {
  const Owned<pcre2_compile_context, pcre2_compile_context_free> context(
      pcre2_compile_context_create(nullptr));
  if (context == nullptr) throw std::bad_alloc();
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  int error = 0;
  PCRE2_SIZE at = 0;
  Owned<pcre2_code, pcre2_code_free> code(
      pcre2_compile(units(pattern), pattern.size(), PCRE2_UTF, &error, &at, context.get()));
  if (code == nullptr)
    fail(ErrorCode::invalid_argument, "regular expression '", original_, "': ", message_of(error));
  std::uint32_t matches_empty = 0;
  pcre2_pattern_info(code.get(), PCRE2_INFO_MATCHEMPTY, &matches_empty);
  if (matches_empty != 0)
    fail(ErrorCode::unimplemented, "regular expression '", original_,
         "': splitting at empty matches is not supported");
  // Without JIT, which not every machine has, matching is only slower.
  pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);
  compiled_ = std::make_shared<const Compiled>(Compiled{std::move(code)});
}

Pcre2Matcher::Pcre2Matcher(const Pcre2Pattern& pattern, std::string_view text)
    : pattern_(pattern), text_(text), state_(std::make_unique<State>()) {
  state_->match.reset(pcre2_match_data_create_from_pattern(pattern.compiled_->code.get(), nullptr));
  state_->limits.reset(pcre2_match_context_create(nullptr));
  if (state_->match == nullptr || state_->limits == nullptr) throw std::bad_alloc();
  pcre2_set_heap_limit(state_->limits.get(), kMostKibibytes);
  pcre2_set_match_limit(state_->limits.get(), kMostSteps);
}

Pcre2Matcher::~Pcre2Matcher() = default;

std::optional<std::string_view> Pcre2Matcher::find(std::size_t at) {
  const auto match = [&](std::uint32_t options) {
    return pcre2_match(pattern_.compiled_->code.get(), units(text_), text_.size(), at,
                       PCRE2_NO_UTF_CHECK | options, state_->match.get(), state_->limits.get());
  };
  int result = match(0);
  // The stack of the compiled program is small; the interpreter has the heap.
  if (result == PCRE2_ERROR_JIT_STACKLIMIT) result = match(PCRE2_NO_JIT);
  if (result == PCRE2_ERROR_NOMATCH) return std::nullopt;
  if (result < 0)
    fail(ErrorCode::resource_exhausted, "splitting ", text_.size(),
         " bytes by the regular expression '", pattern_.original_, "': ", message_of(result));
  const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(state_->match.get());
  return text_.substr(ends[0], ends[1] - ends[0]);
}

}  // namespace meshwright::tokenizers
