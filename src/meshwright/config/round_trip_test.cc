// SPDX-License-Identifier: Apache-2.0
// Random structs, to TOML and back.
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "meshwright/config/config_testutil.h"
#include "meshwright/config/docs.h"
#include "meshwright/config/schema.h"

namespace meshwright::config {
namespace {

class RandomStruct {
 public:
  explicit RandomStruct(unsigned seed) : random_(seed) {}

  Everything everything() {
    Everything value{};
    value.name = "n" + text();
    value.count = 1 + static_cast<std::int64_t>(random_() % 1000000);
    value.rate = number();
    value.color = static_cast<Color>(random_() % 3);
    if (coin()) value.limit = number();
    if (coin()) value.size = std::numeric_limits<std::int64_t>::max();
    if (coin()) value.extra = inner();
    value.inner = inner();
    for (std::size_t i = random_() % 4; i > 0; --i)
      value.list.push_back(static_cast<std::int64_t>(random_()) - (std::int64_t{1} << 31));
    for (std::size_t i = random_() % 3; i > 0; --i)
      value.inners.push_back(inner());
    for (std::size_t i = random_() % 3; i > 0; --i)
      value.axes.push_back(text());
    for (std::size_t i = random_() % 3; i > 0; --i)
      value.rules[text()].assign(random_() % 3, text());
    for (std::size_t i = random_() % 3; i > 0; --i)
      value.schedules[text()] = schedule(0);
    value.mesh = {{"z" + text(), 2}, {"data", {}}};
    value.schedule = schedule(0);
    value.version = {static_cast<int>(random_() % 9), static_cast<int>(random_() % 9)};
    value.mode = coin() ? "fast" : "exact";
    value.power = std::int64_t{1} << random_() % 40;
    return value;
  }

 private:
  bool coin() { return random_() % 2 == 0; }

  /// Returns a positive number of any magnitude.
  double number() {
    return std::ldexp(1 + static_cast<double>(random_()) / 4294967296.0,
                      static_cast<int>(random_() % 2000) - 1000);
  }

  std::string text() {
    static const std::vector<std::string> kPieces = {
        "a",  "B",  "0",  "-",    "_",    ".", " ", "\"",       "'",
        "\\", "\n", "\t", "\x01", "\x7F", "#", "=", "\xC3\xA9", "\xE6\xBC\xA2"};
    std::string result;
    for (std::size_t i = random_() % 6; i > 0; --i)
      result += kPieces[random_() % kPieces.size()];
    return result;
  }

  Inner inner() {
    return {coin(), static_cast<float>(number()), static_cast<std::uint8_t>(random_()),
            std::vector<double>(random_() % 3, coin() ? number() : INFINITY)};
  }

  Schedule schedule(int depth) {
    switch (random_() % (depth < 3 ? 4 : 3)) {
      case 0:
        return number();
      case 1:
        return Constant{number()};
      case 2:
        return Cosine{number(), 5, 6};
      default: {
        Joined joined;
        for (std::size_t i = 1 + random_() % 3; i > 0; --i)
          joined.parts.push_back(schedule(depth + 1));
        return joined;
      }
    }
  }

  std::mt19937 random_;
};

TEST(RoundTrip, AnyStructIsReadBackFromItsToml) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    Everything value = RandomStruct(seed).everything();
    const Node tree = write_object(type_of<Everything>(), &value);
    const std::string toml = toml_document(*tree.table());
    const Node parsed = parse_toml(std::make_shared<const Source>(Source{"a.toml", toml}));
    EXPECT_EQ(parsed, tree) << toml;
    Everything back = from_tree<Everything>(parsed);
    EXPECT_EQ(write_object(type_of<Everything>(), &back), tree) << toml;
    EXPECT_EQ(back.inner.ratio, value.inner.ratio) << toml;
    EXPECT_EQ(back.rate, value.rate) << toml;
  }
}

TEST(RoundTrip, TomlIsWrittenForPeople) {
  Everything value{};
  value.name = "x";
  value.rules["batch"] = {"data", "fsdp"};
  value.schedule = Joined{{0.5, Cosine{1.0}}};
  value.inners.resize(1);
  EXPECT_EQ(to_toml(value), R"(name = "x"
count = 8
rate = 0.001
color = "green"
limit = "none"
size = "auto"
extra = "none"
list = []
axes = "data"
phases = "auto"
version = "0.0"
mode = "fast"
power = 4

[inner]
flag = false
ratio = 0.1
small = 3
numbers = [0.5]

[[inners]]
flag = false
ratio = 0.1
small = 3
numbers = [0.5]

[rules]
batch = ["data", "fsdp"]
vocab = "tensor"

[schedules]

[mesh]

[schedule]
type = "joined"
parts = [0.5, { type = "cosine", peak = 1.0, warmup_steps = 0, total_steps = 100 }]

[stages]
type = "constant"
value = 1.0
)");
}

TEST(Describe, TypesThatContainThemselvesEnd) {
  EXPECT_NE(markdown(type_of<Everything>()).find("(as `schedules.NAME`)"), std::string::npos);
  EXPECT_NE(json_schema(type_of<Everything>()).find("\"definitions\""), std::string::npos);
}

}  // namespace
}  // namespace meshwright::config
