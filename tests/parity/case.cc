// SPDX-License-Identifier: Apache-2.0
#include "case.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <sstream>

#include "meshwright/base/check.h"

namespace meshwright::parity {
namespace {

using Engine = std::mt19937_64;

Arg arg(std::string_view sizes, Arg::Kind kind, double low, double high) {
  return {.sizes = std::string(sizes), .kind = kind, .low = low, .high = high};
}

Engine engine_for(const Case& c, DType dtype, std::uint64_t seed) {
  std::vector<std::uint32_t> words = {static_cast<std::uint32_t>(seed),
                                      static_cast<std::uint32_t>(seed >> 32),
                                      static_cast<std::uint32_t>(dtype)};
  words.insert(words.end(), c.name.begin(), c.name.end());
  std::seed_seq sequence(words.begin(), words.end());
  return Engine(sequence);
}

Dims draw_dims(const std::string& sizes, std::map<std::string, std::int64_t>& names, Engine& e) {
  std::istringstream words(sizes);
  Dims dims;
  for (std::string word; words >> word;) {
    std::int64_t size = 0;
    auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), size);
    if (error != std::errc()) {
      auto [place, is_new] = names.try_emplace(word, 0);
      if (is_new) place->second = std::uniform_int_distribution<std::int64_t>(2, 6)(e);
      size = place->second;
    }
    dims.push_back(size);
  }
  return dims;
}

template <typename T>
void store(HostTensor& tensor, const std::vector<double>& numbers) {
  std::ranges::transform(numbers, tensor.mutable_values<T>().begin(),
                         [](double number) { return static_cast<T>(number); });
}

HostTensor to_tensor(const ArrayType& type, const std::vector<double>& numbers) {
  HostTensor out(type);
  switch (type.dtype) {
    case DType::pred:
      store<bool>(out, numbers);
      break;
    case DType::s8:
      store<std::int8_t>(out, numbers);
      break;
    case DType::s16:
      store<std::int16_t>(out, numbers);
      break;
    case DType::s32:
      store<std::int32_t>(out, numbers);
      break;
    case DType::s64:
      store<std::int64_t>(out, numbers);
      break;
    case DType::u8:
      store<std::uint8_t>(out, numbers);
      break;
    case DType::u16:
      store<std::uint16_t>(out, numbers);
      break;
    case DType::u32:
      store<std::uint32_t>(out, numbers);
      break;
    case DType::u64:
      store<std::uint64_t>(out, numbers);
      break;
    case DType::f16:
      store<Half>(out, numbers);
      break;
    case DType::bf16:
      store<BFloat16>(out, numbers);
      break;
    case DType::f32:
      store<float>(out, numbers);
      break;
    case DType::f64:
      store<double>(out, numbers);
      break;
    default:
      fail(ErrorCode::unimplemented, "parity cases do not draw values of ", type.dtype);
  }
  return out;
}

std::vector<double> draw_numbers(const Arg& arg, std::size_t count, Engine& e) {
  std::vector<double> out(count);
  switch (arg.kind) {
    case Arg::Kind::normal:
      std::ranges::generate(out, [&] { return std::normal_distribution<double>()(e); });
      break;
    case Arg::Kind::uniform:
      std::ranges::generate(
          out, [&] { return std::uniform_real_distribution<double>(arg.low, arg.high)(e); });
      break;
    case Arg::Kind::integers: {
      std::uniform_int_distribution<std::int64_t> draw(static_cast<std::int64_t>(arg.low),
                                                       static_cast<std::int64_t>(arg.high));
      std::ranges::generate(out, [&] { return static_cast<double>(draw(e)); });
      break;
    }
    case Arg::Kind::distinct: {  // multiples of 1/8 around 0: exact in bf16 up to 256 elements
      const std::size_t num_negative = count / 2;
      std::iota(out.begin(), out.end(), -static_cast<double>(num_negative));
      std::ranges::shuffle(out, e);
      std::ranges::transform(out, out.begin(), [](double number) { return number / 8; });
      break;
    }
  }
  return out;
}

// Wraps a number into the dtype's range, so that one case can serve several dtypes.
double fit(double number, DType dtype) {
  if (!is_integer(dtype)) return number;
  return is_signed(dtype) ? number : std::abs(number);
}

}  // namespace

Arg normal(std::string_view sizes) {
  return arg(sizes, Arg::Kind::normal, 0, 1);
}

Arg uniform(std::string_view sizes, double low, double high) {
  return arg(sizes, Arg::Kind::uniform, low, high);
}

Arg integers(std::string_view sizes,
             std::int64_t low,
             std::int64_t high,
             std::optional<DType> dtype) {
  Arg out = arg(sizes, Arg::Kind::integers, static_cast<double>(low), static_cast<double>(high));
  out.dtype = dtype;
  return out;
}

Arg booleans(std::string_view sizes) {
  return integers(sizes, 0, 1, pred);
}

Arg distinct(std::string_view sizes) {
  return arg(sizes, Arg::Kind::distinct, 0, 1);
}

std::vector<Case> joined(std::vector<std::vector<Case>> lists) {
  std::vector<Case> all;
  for (std::vector<Case>& list : lists)
    all.insert(all.end(), list.begin(), list.end());
  return all;
}

mesh::Mesh mesh_of(const Case& c) {
  return c.on_mesh ? mesh::Mesh({{"d", 2}, {"t", 4}}) : mesh::Mesh();
}

std::vector<HostTensor> draw_arguments(const Case& c, DType dtype, std::uint64_t seed) {
  Engine engine = engine_for(c, dtype, seed);
  std::map<std::string, std::int64_t> names = {{"many", c.many}};
  std::vector<HostTensor> out;
  for (const Arg& arg : c.args) {
    ArrayType type{arg.dtype.value_or(dtype), draw_dims(arg.sizes, names, engine)};
    auto count = static_cast<std::size_t>(num_elements(type.dims));
    std::vector<double> numbers = draw_numbers(arg, count, engine);
    std::ranges::transform(numbers, numbers.begin(),
                           [&](double number) { return fit(number, type.dtype); });
    out.push_back(to_tensor(type, numbers));
  }
  return out;
}

HostTensor draw_normal(const ArrayType& type, std::mt19937_64& engine) {
  auto count = static_cast<std::size_t>(num_elements(type.dims));
  return to_tensor(type, draw_numbers(normal(""), count, engine));
}

}  // namespace meshwright::parity
