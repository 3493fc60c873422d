// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string_view>
#include <thread>
#include <vector>

#include "data/clock.h"
#include "data/commands.h"
#include "meshwright/base/check.h"
#include "meshwright/tokenizers/open/open_tokenizer.h"
#include "texts/texts.h"

namespace meshwright::bench {
namespace {

using tokenizers::Id;
using tokenizers::SpecialText;
using tokenizers::Tokenizer;

std::vector<std::string> texts_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::string> texts = test_texts::read_texts(file);
  MW_CHECK(!texts.empty(), "no texts in ", path);
  return texts;
}

// The ids of texts, one after the other.
struct Encoded {
  std::vector<Id> ids;
  std::vector<std::size_t> ends;
};

void encode(const Tokenizer& tokenizer, std::span<const std::string> texts, Encoded& out) {
  for (const std::string& text : texts) {
    tokenizer.encode(text, out.ids, SpecialText::plain);
    out.ends.push_back(out.ids.size());
  }
}

void write_ids(const std::string& path, std::span<const Encoded> parts) {
  std::ofstream file(path, std::ios::binary);
  const auto write = [&](const void* data, std::size_t size) {
    file.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
  };
  for (const Encoded& part : parts) {
    std::size_t begin = 0;
    for (const std::size_t end : part.ends) {
      const auto count = static_cast<std::uint32_t>(end - begin);
      write(&count, sizeof count);
      write(part.ids.data() + begin, count * sizeof(Id));
      begin = end;
    }
  }
  MW_CHECK(file.flush().good(), "writing ", path);
}

}  // namespace

void encode_texts(std::span<const std::string> arguments) {
  MW_CHECK(arguments.size() == 3 || arguments.size() == 4, "encode TOKENIZER TEXTS THREADS [IDS]");
  const auto tokenizer = tokenizers::open_tokenizer(arguments[0]);
  const std::vector<std::string> texts = texts_in(arguments[1]);
  const std::size_t num_threads = std::stoul(arguments[2]);
  std::vector<Encoded> parts(num_threads);
  const Clock clock;
  std::vector<double> seconds(num_threads);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < num_threads; ++i) {
    const std::size_t begin = i * texts.size() / num_threads;
    const std::size_t end = (i + 1) * texts.size() / num_threads;
    threads.emplace_back([&, i, begin, end] {
      encode(*tokenizer, std::span(texts).subspan(begin, end - begin), parts[i]);
      seconds[i] = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  clock.print();
  // The time until all have ended if each has a core of its own.
  std::printf("longest %.6f\n", *std::ranges::max_element(seconds));
  std::size_t num_tokens = 0;
  for (const Encoded& part : parts)
    num_tokens += part.ids.size();
  std::printf("tokens %zu\n", num_tokens);
  if (arguments.size() == 4) write_ids(arguments[3], parts);
}

}  // namespace meshwright::bench
