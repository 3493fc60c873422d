// SPDX-License-Identifier: Apache-2.0
#include "operation.h"

#include <algorithm>
#include <array>
#include <random>
#include <sstream>

#include "meshwright/base/check.h"
#include "meshwright/base/str.h"
#include "meshwright/checkpoint/format/format.h"
#include "meshwright/checkpoint/formats/all_formats.h"

namespace meshwright::machine {
namespace {

constexpr std::size_t kNumActions = static_cast<std::size_t>(Action::num_actions);

struct Row {
  std::string_view name;
  int weight;  // in about 100
};
constexpr std::array<Row, kNumActions> kRows = {
    {{"start", 14},      {"save", 30},        {"die_saving", 10},   {"die_starting", 5},
     {"fail_saving", 5}, {"save_jointly", 4}, {"die_jointly", 5},   {"stop", 3},
     {"lose_power", 4},  {"damage_file", 9},  {"damage_folder", 3}, {"put_something", 4},
     {"put_foreign", 4}, {"move_away", 4},    {"move_back", 4},     {"copy", 2},
     {"jump_clock", 4},  {"pin", 2},          {"unpin", 1},         {"collect", 4},
     {"go_back", 2}}};

}  // namespace

Sequence random_sequence(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  auto below = [&](std::uint64_t n) { return random() % n; };
  Sequence out;
  const std::vector<std::string> formats = checkpoint::format_names();
  out.format = formats[below(formats.size())];
  out.keep_last_n = static_cast<std::int64_t>(below(5));
  if (below(3) == 0) out.keep_every_n_steps = static_cast<std::int64_t>(2 + below(8));
  if (below(3) == 0) out.keep_every_seconds = static_cast<std::int64_t>(10 + below(1000));
  int all = 0;
  for (const Row& row : kRows)
    all += row.weight;
  const std::size_t length = 3 + below(18);
  while (out.operations.size() < length) {
    int at = static_cast<int>(below(static_cast<std::uint64_t>(all)));
    std::size_t action = 0;
    while (at >= kRows[action].weight)
      at -= kRows[action++].weight;
    // Most counts are small: calls, files, steps.
    const std::uint64_t most = below(4) == 0 ? 1000 : 30;
    out.operations.push_back({static_cast<Action>(action), static_cast<std::uint32_t>(below(most)),
                              static_cast<std::uint32_t>(below(most))});
  }
  return out;
}

std::string to_text(const Sequence& sequence) {
  std::string out = str("format ", sequence.format, "\n");
  auto rule = [&](std::string_view name, std::int64_t value) {
    if (value != 0) out += str(name, " ", value, "\n");
  };
  rule("keep_last_n", sequence.keep_last_n);
  rule("keep_every_n_steps", sequence.keep_every_n_steps);
  rule("keep_every_seconds", sequence.keep_every_seconds);
  for (const Operation& one : sequence.operations)
    out += str(kRows[static_cast<std::size_t>(one.action)].name, " ", one.a, " ", one.b, "\n");
  return out;
}

Sequence parse_sequence(std::string_view text) {
  Sequence out;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with("#")) continue;
    std::istringstream words(line);
    std::string name;
    words >> name;
    const auto row = std::ranges::find(kRows, name, &Row::name);
    if (name == "format") {
      words >> out.format;
    } else if (name == "keep_last_n") {
      words >> out.keep_last_n;
    } else if (name == "keep_every_n_steps") {
      words >> out.keep_every_n_steps;
    } else if (name == "keep_every_seconds") {
      words >> out.keep_every_seconds;
    } else {
      MW_CHECK(row != kRows.end(), "a sequence: what is '", line, "'?");
      Operation one{static_cast<Action>(row - kRows.begin())};
      words >> one.a >> one.b;
      out.operations.push_back(one);
    }
    MW_CHECK(!words.fail(), "a sequence: '", line, "' lacks a number");
  }
  return out;
}

}  // namespace meshwright::machine
