// SPDX-License-Identifier: Apache-2.0
// MW_MACHINE_SEQUENCES is the number of random sequences, MW_MACHINE_SECONDS the time limit,
// MW_MACHINE_SEED the first seed.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "meshwright/base/str.h"
#include "operation.h"
#include "shrink.h"
#include "world.h"

namespace meshwright::machine {
namespace {

std::int64_t setting(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoll(text);
}

std::string explained(const Sequence& failing) {
  const Sequence few =
      shrunk(failing, [](const Sequence& one) { return violation_of(one).has_value(); });
  return str(violation_of(few).value_or("not again"),
             "\nto replay it, put this into a file in tests/machine/sequences:\n", to_text(few));
}

TEST(Machine, KeepsItsPromises) {
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(setting("MW_MACHINE_SECONDS", 600));
  const std::int64_t wanted = setting("MW_MACHINE_SEQUENCES", 200);
  const std::int64_t first = setting("MW_MACHINE_SEED", 0);
  std::int64_t tried = 0;
  std::int64_t failed = 0;
  for (; tried < wanted && std::chrono::steady_clock::now() < end && failed < 3; ++tried) {
    const Sequence sequence = random_sequence(static_cast<std::uint64_t>(first + tried));
    if (!violation_of(sequence)) continue;
    ++failed;
    ADD_FAILURE() << "seed " << first + tried << ": " << explained(sequence);
  }
  if (wanted > 200) std::cout << tried << " sequences\n";
}

TEST(Machine, KeepsItsPromisesWhereItOnceDidNot) {
  for (const auto& file : std::filesystem::directory_iterator(SEQUENCES_FOLDER)) {
    std::ostringstream text;
    text << std::ifstream(file.path()).rdbuf();
    EXPECT_EQ(violation_of(parse_sequence(text.str())), std::nullopt) << file.path().filename();
  }
}

TEST(Machine, ReadsWhatItWrites) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::string text = to_text(random_sequence(seed));
    EXPECT_EQ(to_text(parse_sequence(text)), text);
  }
}

TEST(Machine, ShrinksToWhatMatters) {
  const Sequence sequence = random_sequence(5);
  auto has_a_large_save = [](const Sequence& one) {
    for (const Operation& operation : one.operations)
      if (operation.action == Action::save && operation.b >= 3) return true;
    return false;
  };
  Sequence failing = sequence;
  failing.operations.push_back({Action::save, 9, 25});
  const Sequence few = shrunk(failing, has_a_large_save);
  ASSERT_EQ(few.operations.size(), 1U);
  EXPECT_EQ(few.operations[0].a, 0U);
  EXPECT_LT(few.operations[0].b, 7U);
}

}  // namespace
}  // namespace meshwright::machine
