// SPDX-License-Identifier: Apache-2.0
#include "meshwright/mesh/strategy_text.h"

#include <cctype>
#include <charconv>

#include "meshwright/base/error.h"

namespace meshwright::mesh {
namespace {

class Parser {
 public:
  Parser(std::string_view what, std::string_view text, std::string_view example)
      : what_(what), text_(text), rest_(text), example_(example) {}

  std::vector<StrategyCall> calls() {
    std::vector<StrategyCall> out = {call()};
    while (take('|'))
      out.push_back(call());
    if (!rest_.empty()) refuse("'|' or the end");
    return out;
  }

  StrategyCall call_of(std::string_view name) {
    StrategyCall out{.name = std::string(name), .arguments = arguments()};
    if (!rest_.empty()) refuse("the end");
    return out;
  }

 private:
  [[noreturn]] void refuse(std::string_view expected) const {
    fail(ErrorCode::invalid_argument, what_, " '", text_, "': expected ", expected, " at ",
         rest_.empty() ? std::string("its end") : str("'", rest_, "'"), example_);
  }

  void skip_space() {
    while (!rest_.empty() && rest_.front() == ' ')
      rest_.remove_prefix(1);
  }

  bool take(char wanted) {
    skip_space();
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    skip_space();
    return true;
  }

  std::string word() {
    skip_space();
    std::size_t length = 0;
    while (length < rest_.size() &&
           (std::isalnum(static_cast<unsigned char>(rest_[length])) != 0 || rest_[length] == '_'))
      ++length;
    if (length == 0) refuse("a name");
    std::string out(rest_.substr(0, length));
    rest_.remove_prefix(length);
    skip_space();
    return out;
  }

  StrategyCall call() {
    std::string name = word();
    return {.name = std::move(name), .arguments = arguments()};
  }

  std::vector<StrategyArgument> arguments() {
    std::vector<StrategyArgument> out;
    if (!take('(')) return out;
    while (!take(')')) {
      if (!out.empty() && !take(',')) refuse("',' or ')'");
      if (take(')')) break;  // ('data',)
      out.push_back(argument());
    }
    return out;
  }

  StrategyArgument argument() {
    StrategyArgument out;
    std::string_view before = rest_;
    if (!rest_.empty() && std::isalpha(static_cast<unsigned char>(rest_.front())) != 0) {
      out.name = word();
      if (!take('=')) {
        rest_ = before;
        out.name.clear();
      }
    }
    out.value = value();
    return out;
  }

  StrategyValue value() {
    skip_space();
    if (rest_.empty()) refuse("a value");
    char first = rest_.front();
    if (first == '\'' || first == '"') return std::vector<std::string>{text()};
    if (first == '(' || first == '[') return texts();
    if (std::isalpha(static_cast<unsigned char>(first)) == 0) return number();
    std::string_view before = rest_;
    std::string name = word();
    if (name == "True") return true;
    if (name == "False") return false;
    if (name == "None") return std::vector<std::string>();
    rest_ = before;
    refuse("a quoted string, a number, True, False or None");
  }

  std::string text() {
    skip_space();
    char quote = rest_.empty() ? '\0' : rest_.front();
    if (quote != '\'' && quote != '"') refuse("a quoted string");
    std::size_t end = rest_.find(quote, 1);
    if (end == rest_.npos) refuse("a closing quote");
    std::string out(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    skip_space();
    return out;
  }

  std::vector<std::string> texts() {
    char close = rest_.front() == '(' ? ')' : ']';
    rest_.remove_prefix(1);
    std::vector<std::string> out;
    while (!take(close)) {
      if (!out.empty() && !take(',')) refuse("',' or the closing bracket");
      if (take(close)) break;  // ('data',)
      out.push_back(text());
    }
    return out;
  }

  double number() {
    double out = 0;
    auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
    if (error != std::errc()) refuse("a number");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    skip_space();
    return out;
  }

  std::string_view what_;
  std::string_view text_;
  std::string_view rest_;
  std::string_view example_;
};

}  // namespace

std::vector<StrategyCall> parse_strategy(std::string_view text) {
  return Parser("sharding strategy", text,
                "\nfor example: fsdp(axis='data', min_size_to_shard_mb=4)")
      .calls();
}

StrategyCall parse_call(std::string_view name, std::string_view text, std::string_view example) {
  return Parser(name, text, example).call_of(name);
}

}  // namespace meshwright::mesh
