// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/array_rule_args.h"

#include <utility>

#include "meshwright/base/check.h"

namespace meshwright::cli {
namespace {

// Splits "PATTERN=TEXT" at the last '='.
std::pair<std::string, std::string> split_rule(std::string_view command,
                                               std::string_view option,
                                               const std::string& text) {
  const std::size_t at = text.rfind('=');
  MW_CHECK(at != text.npos && at > 0, command, ": ", option, " takes PATTERN=TEXT, not '", text,
           "'");
  return {text.substr(0, at), text.substr(at + 1)};
}

checkpoint::DTypeRule dtype_rule(std::string_view command,
                                 std::string_view option,
                                 const std::string& text) {
  const auto [pattern, name] = split_rule(command, option, text);
  const std::optional<DType> dtype = find_dtype(name);
  MW_CHECK(dtype.has_value(), command, ": ", option, ": '", name, "' is not a dtype, such as f32");
  return {Regex(pattern), *dtype};
}

}  // namespace

void ArrayRuleArgs::declare(ArgumentParser& parser) {
  parser.option("--only", only, {"PATTERN"}, "only arrays whose whole path matches");
  parser.option("--drop", drop, {"PATTERN"}, "leave out arrays whose whole path matches");
  parser.option("--rename", rename, {"PATTERN=PATH"},
                "rename arrays; \\1 to \\9 in PATH stand for groups of the pattern");
  parser.option("--cast", cast, {"PATTERN=DTYPE"}, "cast arrays, such as '.*=bf16'");
  parser.option("--reinterpret", reinterpret, {"PATTERN=DTYPE"},
                "take the bits of arrays for another dtype of the same size");
}

checkpoint::ArrayRules ArrayRuleArgs::rules(std::string_view command) const {
  checkpoint::ArrayRules out;
  if (only) out.only.emplace(*only);
  for (const std::string& pattern : drop)
    out.drop.emplace_back(pattern);
  for (const std::string& text : reinterpret)
    out.reinterpret.push_back(dtype_rule(command, "--reinterpret", text));
  for (const std::string& text : cast)
    out.cast.push_back(dtype_rule(command, "--cast", text));
  for (const std::string& text : rename) {
    auto [pattern, path] = split_rule(command, "--rename", text);
    out.rename.push_back({Regex(std::move(pattern)), std::move(path)});
  }
  return out;
}

std::string ArrayRuleArgs::text() const {
  std::string out = str("only ", only.value_or(".*"), "\n");
  const auto add = [&](const char* name, const Args& rules) {
    for (const std::string& rule : rules)
      out += str(name, " ", rule, "\n");
  };
  add("drop", drop);
  add("rename", rename);
  add("cast", cast);
  add("reinterpret", reinterpret);
  return out;
}

}  // namespace meshwright::cli
