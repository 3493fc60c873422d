// SPDX-License-Identifier: Apache-2.0
// A struct with every supported kind of member.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "meshwright/config/config.h"

namespace meshwright::config {

enum class Color { red, green, dark_blue };
inline Choices<Color> config_choices(Color) {
  return {{"red", Color::red}, {"green", Color::green}, {"dark_blue", Color::dark_blue}};
}

/// A version such as "1.2", written as a string.
struct Version {
  int major = 0;
  int minor = 0;
};
template <>
struct Text<Version> {
  static constexpr std::string_view kWhat = "a version";
  static Version parse(const std::string& text);
  static std::string print(const Version& version);
};

struct Constant {
  static constexpr char kType[] = "constant";
  double value;
  void fields(auto& f) { f.required("value", value, kNotNegative, "its value"); }
};

struct Cosine {
  static constexpr char kType[] = "cosine";
  double peak;
  std::int64_t warmup_steps = 0;
  std::int64_t total_steps = 100;
  void fields(auto& f) {
    f.required("peak", peak, kPositive, "highest value");
    f.optional("warmup_steps", warmup_steps, kNotNegative, "rise to the peak").unit("steps");
    f.optional("total_steps", total_steps, kPositive, "until zero").unit("steps");
    f.check(
        "warmup_steps", [this] { return warmup_steps < total_steps; }, "be below total_steps");
  }
};

struct Joined;
struct Schedule;

/// A schedule that contains schedules.
struct Joined {
  static constexpr char kType[] = "joined";
  std::vector<Schedule> parts;
  void fields(auto& f) { f.optional("parts", parts, kNonEmpty, "one after the other"); }
};
struct Schedule : std::variant<double, Constant, Cosine, Joined> {
  using variant::variant;
};

struct Inner {
  bool flag = false;
  float ratio = 0.1f;
  std::uint8_t small = 3;
  std::vector<double> numbers = {0.5};
  void fields(auto& f) {
    f.optional("flag", flag, "a flag");
    f.optional("ratio", ratio, "a ratio");
    f.optional("small", small, "a small number");
    f.optional("numbers", numbers, kNotNegative, "several");
  }
};

struct Everything {
  std::string name;
  std::int64_t count = 8;
  double rate = 1e-3;
  Color color = Color::green;
  std::optional<double> limit;
  OrAuto<std::int64_t> size;
  std::optional<Inner> extra;
  Inner inner;
  std::vector<std::int64_t> list;
  std::vector<Inner> inners;
  OneOrMore<std::string> axes = {"data"};
  std::map<std::string, OneOrMore<std::string>> rules = {{"vocab", {"tensor"}}};
  std::map<std::string, Schedule> schedules;
  InOrder<OrAuto<std::int64_t>> mesh;
  Schedule schedule = 0.5;
  OneOrMore<Schedule> stages = {Constant{1.0}};
  OrAuto<OneOrMore<Schedule>> phases;
  Version version;
  std::string mode = "fast";
  std::int64_t power = 4;

  void fields(auto& f) {
    f.required("name", name, kNonEmpty, "what it is called");
    f.optional("count", count, kPositive, "how many");
    f.optional("rate", rate, kPositive, "how fast").unit("1/s");
    f.optional("color", color, "of the car");
    f.optional("limit", limit, kPositive, "how far");
    f.optional("size", size, kPositive, "how large");
    f.optional("extra", extra, "more");
    f.optional("inner", inner, "within");
    f.optional("list", list, "numbers");
    f.optional("inners", inners, "many");
    f.optional("axes", axes, kNonEmpty, "one or more");
    f.optional("rules", rules, "by name");
    f.optional("schedules", schedules, "by name");
    f.optional("mesh", mesh, kPositive, "in order");
    f.optional("schedule", schedule, kNotNegative, "over time");
    f.optional("stages", stages, kNotNegative, "one or more schedules");
    f.optional("phases", phases, kNotNegative, "one or more schedules, or auto");
    f.optional("version", version, "of the format");
    f.optional("mode", mode, one_of({"fast", "exact"}), "how it is done");
    f.optional(
        "power", power,
        rule("be a power of two", [](std::int64_t n) { return n > 0 && (n & (n - 1)) == 0; }),
        "a power of two");
  }
};

/// Returns the error message for `text`, or "no error".
std::string error_of(const std::string& text, const std::vector<std::string>& overrides = {});

}  // namespace meshwright::config
