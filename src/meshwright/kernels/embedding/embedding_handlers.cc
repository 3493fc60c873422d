// SPDX-License-Identifier: Apache-2.0
// The gradient sorts the positions of the ids by word. Each task takes a range of words and of
// columns and sums the given vectors of each word in the order of positions, so that results depend
// on sizes and ids alone.
#include "meshwright/kernels/embedding/embedding_handlers.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "meshwright/kernels/common/by_dtype.h"
#include "meshwright/kernels/common/ranges.h"
#include "meshwright/kernels/common/scratch.h"
#include "meshwright/kernels/simd/halves.h"
#include "meshwright/kernels/simd/lanes.h"
#include "meshwright/pjrt/kernel_call.h"

namespace meshwright::kernels {
namespace {

using pjrt::KernelCall;

// Elements that a task writes; they fit into the L1 or L2 cache.
constexpr std::int64_t kElementsOfTask = 1 << 14;
// Columns per task. Splitting vectors spreads a word that occurs often over several tasks.
constexpr std::int64_t kPartOfVector = 512;

/// Returns the table row of an id, or -1 if out of range. Negative ids count from the end.
std::int64_t word_of(std::int32_t id, std::int64_t vocab_size) {
  const std::int64_t word = id < 0 ? id + vocab_size : id;
  return word >= 0 && word < vocab_size ? word : -1;
}

struct Embedding {
  static constexpr std::string_view kName = "mw_embedding";
  static constexpr int kAbiVersion = 1;

  static void run(KernelCall& call) {
    by_dtype(call.input(0).dtype, [&](auto table) {
      by_dtype(call.output(0).dtype,
               [&](auto out) { look_up<decltype(table), decltype(out)>(call); });
    });
  }

  template <typename Table, typename Out>
  static void look_up(const KernelCall& call) {
    const std::int64_t vocab_size = call.input(0).dims[0], size = call.input(0).dims[1];
    const Table* table = call.input(0).values<Table>().data();
    const std::span<const std::int32_t> ids = call.input(1).values<std::int32_t>();
    Out* out = call.output(0).values<Out>().data();
    const std::int64_t ids_of_task = std::max<std::int64_t>(1, kElementsOfTask / size);
    call.parallel_for(num_chunks(std::ssize(ids), ids_of_task), [&](std::int64_t task) {
      const Range some = chunk_of({0, std::ssize(ids)}, ids_of_task, task);
      for (std::int64_t i = some.begin; i < some.end; ++i) {
        const std::int64_t word = word_of(ids[static_cast<std::size_t>(i)], vocab_size);
        if (word < 0)
          std::fill_n(out + i * size, size, Out(std::numeric_limits<float>::quiet_NaN()));
        else
          copy(table + word * size, size, out + i * size);
      }
    });
  }

  template <typename T>
  static void copy(const T* from, std::int64_t size, T* to) {
    std::copy_n(from, size, to);
  }
  template <typename From, typename To>
  static void copy(const From* from, std::int64_t size, To* to) {
    convert(from, size, to);
  }
};

/// An occurrence of a word: `at` is its position among the ids.
struct Place {
  std::int32_t word, at;
};

std::int64_t floats_of_places(std::int64_t num_ids) {
  return num_ids * static_cast<std::int64_t>(sizeof(Place) / sizeof(float));
}

/// Returns the positions of all valid ids, sorted by word, then by position. Uses `memory`, of
/// floats_of_places() floats.
std::span<const Place> sorted_places(std::span<const std::int32_t> ids,
                                     std::int64_t vocab_size,
                                     float* memory) {
  auto* const first = reinterpret_cast<Place*>(memory);
  Place* end = first;
  for (std::size_t at = 0; at < ids.size(); ++at) {
    const std::int64_t word = word_of(ids[at], vocab_size);
    if (word < 0) continue;
    std::construct_at(end++, Place{static_cast<std::int32_t>(word), static_cast<std::int32_t>(at)});
  }
  const std::span places(first, end);
  std::ranges::sort(places, {}, [](const Place& p) { return std::pair(p.word, p.at); });
  return places;
}

struct EmbeddingGradient {
  static constexpr std::string_view kName = "mw_embedding_gradient";
  static constexpr int kAbiVersion = 1;

  static void run(KernelCall& call) {
    by_dtype(call.input(1).dtype, [&](auto given) {
      by_dtype(call.output(0).dtype,
               [&](auto table) { add_up<decltype(given), decltype(table)>(call); });
    });
  }

  template <typename Given, typename Table>
  static void add_up(const KernelCall& call) {
    const std::int64_t vocab_size = call.output(0).dims[0], size = call.output(0).dims[1];
    const std::span<const std::int32_t> ids = call.input(0).values<std::int32_t>();
    SharedScratch scratch(floats_of_places(std::ssize(ids)));
    const std::span<const Place> places =
        sorted_places(ids, vocab_size, scratch.take(floats_of_places(std::ssize(ids))));
    const std::int64_t num_columns = num_chunks(size, kPartOfVector);
    const std::int64_t words_of_task =
        std::max<std::int64_t>(1, kElementsOfTask / std::min(size, kPartOfVector));
    const Given* given = call.input(1).values<Given>().data();
    Table* d_table = call.output(0).values<Table>().data();
    call.parallel_for(num_chunks(vocab_size, words_of_task) * num_columns, [&](std::int64_t task) {
      const Range words = chunk_of({0, vocab_size}, words_of_task, task / num_columns);
      const Range columns = chunk_of({0, size}, kPartOfVector, task % num_columns);
      auto place = std::ranges::lower_bound(places, words.begin, {}, &Place::word);
      for (std::int64_t word = words.begin; word < words.end; ++word) {
        const auto first = place;
        while (place != places.end() && place->word == word)
          ++place;
        add_up_word(std::span(first, place), given + columns.begin, size, columns.size(),
                    d_table + word * size + columns.begin);
      }
    });
  }

  template <typename Given, typename Table>
  static void add_up_word(std::span<const Place> places,
                          const Given* given,
                          std::int64_t given_row,
                          std::int64_t count,
                          Table* out) {
    if (places.empty()) return static_cast<void>(std::fill_n(out, count, Table(0.0f)));
    alignas(64) float sum[kPartOfVector], more[kPartOfVector];
    convert(given + places[0].at * given_row, count, sum);
    for (const Place& place : places.subspan(1)) {
      convert(given + place.at * given_row, count, more);
      std::transform(sum, sum + count, more, sum, std::plus<>());
    }
    convert(sum, count, out);
  }
};

}  // namespace

constexpr pjrt::Kernel kEmbeddingHandler = pjrt::kernel<Embedding>();
constexpr pjrt::Kernel kEmbeddingGradientHandler = pjrt::kernel<EmbeddingGradient>();

}  // namespace meshwright::kernels
