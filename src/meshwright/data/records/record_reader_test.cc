// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/records/record_reader.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/base/str.h"
#include "meshwright/data/records/records_testutil.h"

namespace meshwright::data {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

std::string line(std::string_view text) {
  return str("{\"id\": 1, \"text\": \"", text, "\"}\n");
}

TEST(RecordReader, ReadsTheFieldOfEachLine) {
  const DataFolder folder;
  const std::string a =
      folder.write("a.jsonl", line("x") + "\n" + line("y\\n\\u00e9\\ud83d\\ude00"));
  const std::string b = folder.write("b.jsonl.zst", zstd_compressed(line("z")));
  const Outcome all = read_all({a, b}, {});
  EXPECT_THAT(all.texts(), ElementsAre("x", "y\n\xc3\xa9\xf0\x9f\x98\x80", "z"));
  EXPECT_EQ(all.items[1].offset, std::ssize(line("x")) + 1);
  EXPECT_EQ(all.items[1].number, 1);
  EXPECT_EQ(all.items[2].file, 1U);
  EXPECT_EQ(all.items[2].number, 0);
  EXPECT_EQ(all.counts, RecordCounts{.accepted = 3});
}

TEST(RecordReader, ReadsSeveralAndNestedFields) {
  const DataFolder folder;
  const std::string path = folder.write("a", R"({"prompt":"p","meta":{"answer":{"text":"c"}}})");
  const Outcome all =
      read_all({path}, {.format = JsonlFormat{.fields = {"prompt", "meta.answer.text"}}});
  ASSERT_EQ(all.error, "");
  EXPECT_THAT(all.items.at(0).fields, ElementsAre("p", "c"));
}

TEST(RecordReader, ReadsMessages) {
  const DataFolder folder;
  const std::string path = folder.write(
      "a", R"({"turns":[{"from":"user","value":"Hi","id":3},{"value":"Hello","from":"bot"}]})"
           "\n"
           R"({"turns":[]})");
  const Outcome all = read_batches(
      {path},
      {.format = JsonlFormat{
           .fields = {}, .messages = "turns", .role_field = "from", .content_field = "value"}});
  ASSERT_EQ(all.error, "");
  EXPECT_THAT(all.items.at(0).messages, ElementsAre("user: Hi", "bot: Hello"));
  EXPECT_THAT(all.items.at(1).messages, IsEmpty());
}

TEST(RecordReader, NamesTheMessageThatIsWrong) {
  const DataFolder folder;
  const std::string path = folder.write("a", R"({"m":[{"role":"u","content":"x"},{"role":"u"}]})");
  EXPECT_THAT(read_all({path}, {.format = JsonlFormat{.fields = {}, .messages = "m"}}).error,
              HasSubstr("message 1 of 'm': has no field 'content'"));
}

struct Corrupt {
  std::string line;
  std::string reason;
};

TEST(RecordReader, NamesTheReasonOfEveryCorruptLine) {
  const std::vector<Corrupt> all = {
      {"{\"text\": \"a\"", "not valid JSON"},
      {"{\"text\": \"a\"} {}", "not valid JSON"},
      {"{\"text\": \"a\", \"x\": NaN}", "not valid JSON"},
      {"{\"text\": \"a\", \"x\": [1,]}", "not valid JSON"},
      {"{\"text\": \"a\", \"x\": 1e999}", "a number is invalid or out of range"},
      {"{\"text\": \"a\xff\"}", "not valid UTF-8"},
      {"{\"text\": \"\xed\xa0\x80\"}", "not valid UTF-8"},
      {"{\"text\": \"\\ud800\"}", "lone surrogate"},
      {"{\"text\": \"\\udc00\"}", "lone surrogate"},
      {"{\"text\": \"\\ud800\\u0041\"}", "lone surrogate"},
      {"{\"text\": \"a\tb\"}", "unescaped control character"},
      {"{\"text\": \"a", "a string does not end"},
      {"[\"text\"]", "is a list, expected an object"},
      {"\"text\"", "is a string, expected an object"},
      {"{\"text\": null}", "the field 'text' is null, expected a string"},
      {"{\"text\": 3}", "the field 'text' is a number, expected a string"},
      {"{\"txt\": \"a\"}", "has no field 'text'; did you mean 'txt'?"},
      {"{\"text\": \"a\", \"text\": \"b\"}", "has the field 'text' twice"},
      {"{\"text\": \"a\", \"x\": " + std::string(2000, '[') + std::string(2000, ']') + "}",
       "nested too deeply"},
  };
  for (const Corrupt& corrupt : all) {
    const DataFolder folder;
    const std::string path = folder.write("a.jsonl", line("x") + corrupt.line + "\n" + line("y"));
    const Outcome strict = read_all({path}, {});
    EXPECT_THAT(strict.texts(), ElementsAre("x"));
    EXPECT_THAT(strict.error,
                AllOf(HasSubstr(str("a.jsonl: record 1 at byte ", line("x").size(), ": ")),
                      HasSubstr(corrupt.reason)));
    const Outcome lenient = read_all({path}, {.skip_corrupt = 1});
    EXPECT_THAT(lenient.texts(), ElementsAre("x", "y"));
    EXPECT_EQ(lenient.items.at(1).number, 2);
    EXPECT_EQ(lenient.counts, (RecordCounts{.accepted = 2, .corrupt = 1}));
  }
}

TEST(RecordReader, SaysWhereANestedFieldEnds) {
  const DataFolder folder;
  const std::string path = folder.write("a", R"({"a": {"b": 1}})");
  EXPECT_THAT(read_all({path}, {.format = JsonlFormat{.fields = {"a.b.c"}}}).error,
              HasSubstr("has no field 'a.b.c': 'b' is a number, expected an object"));
}

TEST(RecordReader, StopsAfterTheBudgetOfCorruptRecords) {
  const DataFolder folder;
  std::string text;
  for (int i = 0; i < 500; ++i)
    text += i % 5 == 4 ? "broken\n" : line(str(i));
  const std::string path = folder.write("a.jsonl", text);
  const Outcome all = read_all({path}, {.skip_corrupt = 99});
  EXPECT_EQ(all.counts, (RecordCounts{.accepted = 400, .corrupt = 99}));
  EXPECT_THAT(all.error, AllOf(HasSubstr("record 499 at"), EndsWith("(after 99 skipped records)")));
  EXPECT_EQ(read_all({path}, {.skip_corrupt = 100}).error, "");
}

TEST(RecordReader, DamageToAStreamIsACorruptRecordThatEndsTheFile) {
  const DataFolder folder;
  std::string text;
  for (int i = 0; i < 20000; ++i)
    text += line(str(i * 7919 % 1000003));
  for (const std::string& file : {gzipped(text), zstd_compressed(text)}) {
    const std::string a = folder.write("a", std::string_view(file).substr(0, file.size() / 2));
    const std::string b = folder.write("b", line("last"));
    const Outcome strict = read_all({a, b}, {});
    EXPECT_GT(strict.items.size(), 1000U);
    EXPECT_THAT(strict.error,
                AllOf(HasSubstr(str("/a: record ", strict.items.size(), " at byte ")),
                      HasSubstr(str("truncated at byte ", file.size() / 2, " of the file"))));
    const Outcome lenient = read_all({a, b}, {.skip_corrupt = 1});
    EXPECT_EQ(lenient.texts().back(), "last");
    EXPECT_EQ(lenient.counts.corrupt, 1);
  }
}

TEST(RecordReader, LongRecordsAreCorrupt) {
  const DataFolder folder;
  const std::string path =
      folder.write("a", line("x") + line(std::string(1 << 20, 'y')) + line("z"));
  EXPECT_THAT(read_all({path}, {.max_record_bytes = 1000}).error,
              HasSubstr("longer than 1000 bytes"));
  EXPECT_THAT(read_all({path}, {.max_record_bytes = 1000, .skip_corrupt = 1}).texts(),
              ElementsAre("x", "z"));
}

TEST(RecordReader, ReadsTextFiles) {
  const DataFolder folder;
  const std::string a = folder.write("a.txt", "one\ntwo\n\nthree\n");
  const std::string b = folder.write("b.txt.gz", gzipped("four"));
  auto texts = [&](const TextFormat& format) {
    return read_all({a, b}, {.format = format}).texts();
  };
  EXPECT_THAT(texts({.split = TextSplit::files}), ElementsAre("one\ntwo\n\nthree\n", "four"));
  EXPECT_THAT(texts({.split = TextSplit::lines}), ElementsAre("one", "two", "three", "four"));
  EXPECT_THAT(texts({.split = TextSplit::blank_lines}), ElementsAre("one\ntwo", "three", "four"));
  EXPECT_THAT(texts({.split = TextSplit::separator, .separator = "o"}),
              ElementsAre("ne\ntw", "\n\nthree\n", "f", "ur"));
}

TEST(RecordReader, ChecksTheEncodingOfTextByDefault) {
  const DataFolder folder;
  const std::string path = folder.write("a.txt", "caf\xe9");
  EXPECT_THAT(read_all({path}, {.format = TextFormat{}}).error, HasSubstr("not valid UTF-8"));
  EXPECT_THAT(read_all({path}, {.format = TextFormat{.check_utf8 = false}}).texts(),
              ElementsAre("caf\xe9"));
}

TEST(RecordReader, CountsWhatFiltersDrop) {
  const DataFolder folder;
  const std::string path = folder.write("a", R"({"text":"a","lang":"en","n":1}
{"text":"bbb","lang":"de","n":1}
{"text":"ccccc","lang":"en","n":1}
{"text":"ddd","lang":"en","n":2}
{"text":"eee","n":1}
{"text":"fff","lang":"en","n":1}
)");
  const Outcome all = read_all(
      {path}, {.filter = {.min_bytes = 2, .max_bytes = 4, .equal = {{"lang", "en"}, {"n", "1"}}}});
  EXPECT_THAT(all.texts(), ElementsAre("fff"));
  EXPECT_EQ(all.items.at(0).number, 5);
  EXPECT_EQ(all.counts, (RecordCounts{.accepted = 1, .too_short = 1, .too_long = 1, .unequal = 3}));
}

TEST(RecordReader, RefusesAFileThatChanged) {
  const DataFolder folder;
  const std::string path = folder.write("a.jsonl", line("x"));
  RecordReader reader(find_data_files({path}), {});
  folder.write("a.jsonl", line("longer"));
  EXPECT_THROW(reader.next(), Error);
}

TEST(RecordReader, RefusesSettingsThatMakeNoSense) {
  EXPECT_THROW(check({.max_record_bytes = 0}), Error);
  EXPECT_THROW(check({.num_threads = 0}), Error);
  EXPECT_THROW(check({.skip_corrupt = -1}), Error);
  EXPECT_THROW(check({.format = JsonlFormat{.fields = {}}}), Error);
  EXPECT_THROW(check({.format = TextFormat{.split = TextSplit::separator}}), Error);
  EXPECT_NO_THROW(check({}));
}

// Lines of up to 100 KB with some corrupt and empty ones, more than three ranges long.
std::string corpus_of_many_ranges() {
  std::string out;
  std::uint32_t random = 7;
  for (int i = 0; out.size() < (14U << 20U); ++i) {
    random = random * 1664525 + 1013904223;
    if (i % 97 == 0) out += "\n";
    if (i % 1999 == 50) out += "{\"text\": broken}\r\n";
    const std::size_t size = (random >> 8) % (i % 40 == 0 ? 100000 : 2000);
    out += line(std::string(size, static_cast<char>('a' + i % 26)));
  }
  return out + "{\"text\": \"no line end\"}";
}

TEST(RecordReader, ThreadsChangeNothing) {
  const DataFolder folder;
  const std::string text = corpus_of_many_ranges();
  const std::vector<std::string> paths = {
      folder.write("a.jsonl", text), folder.write("b.jsonl.gz", gzipped(text)),
      folder.write("c.jsonl", line("small")), folder.write("d.jsonl", text)};
  for (std::int64_t skip_corrupt : {0, 5, 1000}) {
    const Outcome expected = read_all(paths, {.skip_corrupt = skip_corrupt});
    EXPECT_EQ(expected.error == "", skip_corrupt == 1000);
    EXPECT_TRUE(read_batches(paths, {.skip_corrupt = skip_corrupt}).items == expected.items);
    for (int num_threads : {2, 5}) {
      const RecordSettings settings{.skip_corrupt = skip_corrupt, .num_threads = num_threads};
      const Outcome all = read_all(paths, settings);
      EXPECT_TRUE(all.items == expected.items);
      EXPECT_EQ(all.error, expected.error);
      EXPECT_TRUE(all.counts == expected.counts || skip_corrupt < 1000);
    }
  }
}

TEST(RecordReader, CanBeAbandonedAtAnyTime) {
  const DataFolder folder;
  const std::string text = corpus_of_many_ranges();
  const std::vector<std::string> paths = {folder.write("a", text),
                                          folder.write("b", gzipped(text))};
  for (int num_threads : {1, 4}) {
    for (int num_records : {0, 1, 3000}) {
      RecordReader reader(find_data_files(paths),
                          {.skip_corrupt = 100, .num_threads = num_threads});
      for (int i = 0; i < num_records; ++i)
        ASSERT_TRUE(reader.next());
    }
  }
}

}  // namespace
}  // namespace meshwright::data
