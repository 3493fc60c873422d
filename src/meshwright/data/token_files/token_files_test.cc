// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/base/str.h"
#include "meshwright/base/temporary_folder_testutil.h"
#include "meshwright/data/token_files/open_token_files.h"
#include "meshwright/data/token_files/token_files_testutil.h"
#include "meshwright/data/token_files/token_writer.h"

namespace meshwright::data {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

using Ids = std::vector<std::int32_t>;

std::vector<Ids> all_documents(const Documents& documents) {
  std::vector<Ids> out;
  for (std::int64_t i = 0; i < documents.num_documents(); ++i)
    out.push_back(whole_document(documents, i));
  return out;
}

class TokenFilesTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  std::string bytes_of(const std::string& name) const { return file_text(path(name)); }
  std::string write(const std::string& name,
                    TokenFormat format,
                    const std::vector<std::vector<std::uint32_t>>& documents,
                    const TokenWriterOptions& options = {.vocab_size = 1000}) const {
    return write_documents(path(name), format, documents, options);
  }
  static DocumentsPtr open(const std::vector<std::string>& paths,
                           const TokenFileOptions& options = {},
                           std::int64_t vocab_size = kMaxVocab) {
    return token_documents(open_token_files(paths, options), vocab_size);
  }
  // Returns the message of the error, with its code.
  static std::string refusal(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      return str(error_code_name(error.code()), ": ", error.what());
    }
    return "no error";
  }
  static std::string refusal(const std::string& path, const TokenFileOptions& options = {}) {
    return refusal([&] { open({path}, options); });
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      out.push_back(entry.path().filename().string());
    std::ranges::sort(out);
    return out;
  }

  TemporaryFolder folder_;
};

std::string extension_of(TokenFormat format) {
  return format == TokenFormat::npy ? ".npy" : format == TokenFormat::npz ? ".npz" : ".bin";
}

TEST_F(TokenFilesTest, EveryFormatReadsWhatItsWriterWrote) {
  for (TokenFormat format : kAllTokenFormats) {
    for (std::int64_t vocab_size : {1000, 200000}) {
      SCOPED_TRACE(str(token_format_name(format), " ", vocab_size));
      const auto last = static_cast<std::uint32_t>(vocab_size - 1);
      const std::string name = str(token_format_name(format), vocab_size, extension_of(format));
      write(name, format, {{1, 2, last}, {3, last}, {last}}, {.vocab_size = vocab_size});
      const auto end = static_cast<std::int32_t>(last);
      TokenFileOptions options;
      const bool has_documents =
          format == TokenFormat::megatron || format == TokenFormat::flat_tokens;
      if (!has_documents) options.end_token = end;
      if (format == TokenFormat::raw) options.dtype = vocab_size == 1000 ? DType::u16 : DType::u32;
      const std::vector<TokenFile> files = open_token_files({path(name)}, options);
      EXPECT_EQ(max_token(files), end);
      EXPECT_THAT(all_documents(*token_documents(files, vocab_size)),
                  ElementsAre(Ids{1, 2, end}, Ids{3, end}, Ids{end}));
    }
  }
}

TEST_F(TokenFilesTest, AnEmptyCorpusIsReadAsOne) {
  for (TokenFormat format : kAllTokenFormats) {
    SCOPED_TRACE(token_format_name(format));
    TokenFileOptions options;
    if (format == TokenFormat::raw) options.dtype = DType::u16;
    const std::string file =
        write(str(token_format_name(format), extension_of(format)), format, {});
    EXPECT_EQ(open({file}, options)->num_documents(), 0);
  }
}

TEST_F(TokenFilesTest, MegatronKeepsEmptyDocumentsAndIsFoundByAnyOfItsNames) {
  write("corpus", TokenFormat::megatron, {{1}, {}, {2, 3}});
  for (const char* name : {"corpus", "corpus.bin", "corpus.idx", "corpus.*", "."}) {
    EXPECT_THAT(all_documents(*open({path(name)})), ElementsAre(Ids{1}, Ids{}, Ids{2, 3})) << name;
  }
}

TEST_F(TokenFilesTest, MarksBeginOrEndDocuments) {
  const std::string file = write("a.npy", TokenFormat::npy, {{9, 1, 2}, {9, 9, 3}});
  EXPECT_THAT(all_documents(*open({file})), ElementsAre(Ids{9, 1, 2, 9, 9, 3}));
  EXPECT_THAT(all_documents(*open({file}, {.begin_token = 9})),
              ElementsAre(Ids{9, 1, 2}, Ids{9}, Ids{9, 3}));
  EXPECT_THAT(all_documents(*open({file}, {.end_token = 9})),
              ElementsAre(Ids{9}, Ids{1, 2, 9}, Ids{9}, Ids{3}));
}

TEST_F(TokenFilesTest, ManyFilesAreOneCorpusInOrder) {
  for (int i = 0; i < 150; ++i)  // more than stay open
    write(str("part_", 100 + i, ".bin"), std::string{static_cast<char>(i), '\0'});
  const TokenFileOptions options = {.dtype = DType::u16};
  const DocumentsPtr documents = open({path("part_*.bin"), path("part_100.bin")}, options);
  ASSERT_EQ(documents->num_documents(), 150);
  EXPECT_EQ(whole_document(*documents, 149), Ids{149});
  EXPECT_EQ(documents->origin(149).file, path("part_249.bin"));
  EXPECT_EQ(open({folder_.path().string()}, options)->num_documents(), 150);
}

TEST_F(TokenFilesTest, FingerprintsFollowTokensAndDocuments) {
  write("a", TokenFormat::megatron, {{1, 2}, {3}});
  write("b", TokenFormat::megatron, {{1}, {2, 3}});
  write("c", TokenFormat::megatron, {{1, 2}, {4}});
  fs::create_directory(path("moved"));
  for (const char* extension : {".bin", ".idx"})
    fs::copy_file(path(str("a", extension)), path(str("moved/a", extension)));
  const std::string a = open({path("a")})->fingerprint();
  EXPECT_EQ(open({path("moved/a")})->fingerprint(), a);
  EXPECT_NE(open({path("b")})->fingerprint(), a);
  EXPECT_NE(open({path("c")})->fingerprint(), a);
}

TEST_F(TokenFilesTest, HashesOfDocumentsDoNotDependOnTheBlocksThatAreRead) {
  for (const std::size_t size : {1U, 1U << 18U, (1U << 19U) + 1}) {
    std::string tokens(size, '\1');
    tokens.back() = '\2';
    const DocumentsPtr documents =
        open({write("a.bin", tokens)}, {.dtype = DType::u8, .end_token = 9});
    EXPECT_EQ(documents->content_hash(0), hash_of_tokens(whole_document(*documents, 0))) << size;
  }
}

TEST_F(TokenFilesTest, KeepsWhatReadingAllTokensOfALargeFileFinds) {
  constexpr std::size_t kSize = 5 << 20, kPlace = 1'000'003;  // in no block that is sampled
  std::string tokens(kSize, '\1');
  tokens[kSize - 7] = '\5';
  const std::string file = write("a.bin", tokens);
  const NumberStore index(path("index"));
  const TokenFileOptions options = {.dtype = DType::u8, .end_token = 9, .index = index};
  const auto found = [&] {
    const std::vector<TokenFile> files = open_token_files({file}, options);
    return std::pair(files[0].begins.size() - 1, max_token(files, index));
  };
  EXPECT_EQ(found(), std::pair(1l, 5l));
  const fs::file_time_type time = fs::last_write_time(file);
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(kPlace) << '\11';
  fs::last_write_time(file, time);
  EXPECT_EQ(found(), std::pair(1l, 5l)) << "the tokens were read again";
  fs::last_write_time(file, time + std::chrono::seconds(1));
  EXPECT_EQ(found(), std::pair(2l, 9l));
}

TEST_F(TokenFilesTest, TokensOutsideTheVocabularyAreNamedWithTheirPosition) {
  const std::string file = write("a", TokenFormat::megatron, {{1, 2}, {3, 700}});
  EXPECT_THAT(refusal([&] { whole_document(*open({file}, {}, 700), 1); }),
              AllOf(HasSubstr("a.bin"), HasSubstr("token 700 at position 3")));
  const std::string raw = write("b.bin", std::string("\1\0\0\0\xff\xff\xff\xff", 8));
  EXPECT_THAT(refusal([&] { whole_document(*open({raw}, {.dtype = DType::u32}), 0); }),
              HasSubstr("the value at position 1 is no token"));
  EXPECT_THAT(refusal([&] { max_token(open_token_files({raw}, {.dtype = DType::s32})); }),
              HasSubstr("the value at position 1 is no token"));
}

TEST_F(TokenFilesTest, AFileThatChangesIsNoticed) {
  const std::string file = write("a.npy", TokenFormat::npy, {{1, 2, 3}});
  const DocumentsPtr documents = open({file});
  EXPECT_EQ(whole_document(*documents, 0), (Ids{1, 2, 3}));
  write("a.npy", bytes_of("a.npy") + "x");
  EXPECT_THAT(refusal([&] { whole_document(*documents, 0); }),
              AllOf(HasSubstr("data loss"), HasSubstr("a.npy")));
}

TEST_F(TokenFilesTest, AnUnfinishedWriterLeavesNothing) {
  for (TokenFormat format : kAllTokenFormats) {
    auto out = open_token_writer(path("tokens"), format, {.vocab_size = 10});
    out->add_document(std::vector<std::uint32_t>{1, 2});
    EXPECT_THAT(refusal([&] {
                  out->add_document(std::vector<std::uint32_t>{3, 10});
                }),
                HasSubstr("token 10 at position 1 of document 1"));
    out.reset();
    EXPECT_THAT(names(), ElementsAre()) << token_format_name(format);
  }
}

TEST_F(TokenFilesTest, FlatTokensHaveTwoSplits) {
  const auto write_split = [&](const char* split, std::uint32_t token) {
    write("flat", TokenFormat::flat_tokens, {{token, token}, {}, {token}},
          {.vocab_size = 10, .split = split, .chunk_tokens = 2});
  };
  write_split("validation", 4);
  EXPECT_THAT(refusal(path("flat")), HasSubstr("has no group 'train'"));
  write_split("train", 3);
  EXPECT_THAT(refusal([&] { write_split("train", 3); }), HasSubstr("already exists"));
  EXPECT_THAT(all_documents(*open({path("flat")})), ElementsAre(Ids{3, 3}, Ids{}, Ids{3}));
  EXPECT_THAT(all_documents(*open({path("flat")}, {.split = "validation"})),
              ElementsAre(Ids{4, 4}, Ids{}, Ids{4}));
  EXPECT_THAT(refusal([&] { write_split("test", 3); }), HasSubstr("train and validation"));
}

TEST_F(TokenFilesTest, WritersReplaceNoFile) {
  write("a.idx", "precious");
  EXPECT_THAT(refusal([&] { write("a", TokenFormat::megatron, {}); }), HasSubstr("already exists"));
  write("b.npy", "precious");
  EXPECT_THAT(refusal([&] { write("b.npy", TokenFormat::npy, {}); }), HasSubstr("already exists"));
  EXPECT_THAT(names(), ElementsAre("a.idx", "b.npy"));
}

TEST_F(TokenFilesTest, WritersChooseTheirFormatsDType) {
  const auto dtype_of = [&](TokenFormat format, std::int64_t vocab_size) {
    const std::string name = str(token_format_name(format), vocab_size);
    write(name, format, {{1, 2}}, {.vocab_size = vocab_size});
    return bytes_of(name);
  };
  EXPECT_EQ(dtype_of(TokenFormat::raw, 65536).size(), 4);
  EXPECT_EQ(dtype_of(TokenFormat::raw, 65537).size(), 8);
  EXPECT_EQ(dtype_of(TokenFormat::llmc, 65537).size(), 1024 + 8);
  for (std::int64_t vocab_size : {65499, 65500}) {
    write(str("m", vocab_size), TokenFormat::megatron, {{1}}, {.vocab_size = vocab_size});
    EXPECT_EQ(bytes_of(str("m", vocab_size, ".bin")).size(), vocab_size == 65499 ? 2 : 4);
  }
  const auto refused = [&](TokenFormat format, std::int64_t vocab_size, DType dtype) {
    return refusal(
        [&] { open_token_writer(path("x"), format, {.vocab_size = vocab_size, .dtype = dtype}); });
  };
  EXPECT_THAT(refused(TokenFormat::raw, 300, DType::u8), HasSubstr("room for 256"));
  EXPECT_THAT(refused(TokenFormat::raw, 300, DType::f32), HasSubstr("cannot be stored as f32"));
  EXPECT_THAT(refused(TokenFormat::llmc, 300, DType::s32), HasSubstr("not s32"));
  EXPECT_THAT(refused(TokenFormat::megatron, 300, DType::u32), HasSubstr("cannot hold u32"));
}

TEST_F(TokenFilesTest, RefusesOptionsThatAFormatDoesNotHave) {
  const std::string unknown = write("a.bin", "some bytes");
  EXPECT_THAT(refusal(unknown), HasSubstr("the format of the file is not recognised"));
  EXPECT_THAT(refusal(unknown, {.format = TokenFormat::raw}), HasSubstr("need a dtype"));
  EXPECT_THAT(refusal(unknown, {.dtype = DType::u32}), HasSubstr("no multiple of the 4"));
  EXPECT_EQ(open({unknown}, {.dtype = DType::u16})->length(0), 5);
  write("m", TokenFormat::megatron, {{1}});
  EXPECT_THAT(refusal(path("m"), {.end_token = 0}), HasSubstr("omit data.begin_token"));
  EXPECT_THAT(refusal(path("m"), {.dtype = DType::u16}), HasSubstr("omit data.dtype"));
  EXPECT_THAT(refusal(path("n")), HasSubstr("no file matches"));
}

// Writes a damaged copy of a file of two documents and returns the refusal to read it.
class DamagedMegatronTest : public TokenFilesTest {
 protected:
  DamagedMegatronTest() {
    write("good", TokenFormat::megatron, {{1, 2, 3}, {4}});
    index_ = bytes_of("good.idx");
    fs::copy_file(path("good.bin"), path("bad.bin"));
  }
  template <typename T>
  std::string with(std::size_t offset, T value) const {
    std::string index = index_;
    index.replace(offset, sizeof(value), reinterpret_cast<const char*>(&value), sizeof(value));
    return with_index(index);
  }
  std::string with_index(const std::string& index) const {
    return refusal(write("bad.idx", index));
  }

  // 34 bytes of header, 2 lengths, 2 pointers, 3 entries of documents
  std::string index_;
};

TEST_F(DamagedMegatronTest, NamesWhatIsWrong) {
  EXPECT_THAT(with_index(""), HasSubstr("too few for an index"));
  EXPECT_THAT(with_index(index_.substr(0, index_.size() - 1)), HasSubstr("does not fit"));
  EXPECT_THAT(with_index(index_ + "abc"), HasSubstr("does not fit"));
  EXPECT_THAT(with(0, 'N'), HasSubstr("does not begin with MMIDIDX"));
  EXPECT_THAT(with(9, std::int64_t{2}), HasSubstr("has version 2, expected 1"));
  EXPECT_THAT(with(17, std::uint8_t{9}), HasSubstr("9 is no code of a dtype"));
  EXPECT_THAT(with(17, std::uint8_t{6}), HasSubstr("holds f64"));
  EXPECT_THAT(with(18, ~std::uint64_t{0}), HasSubstr("does not fit"));
  EXPECT_THAT(with(26, std::uint64_t{1} << 61), HasSubstr("does not fit"));
  EXPECT_THAT(with(34, std::int32_t{-3}), HasSubstr("sequence 0 has a length of -3"));
  EXPECT_THAT(with(38, std::int32_t{2}), HasSubstr("bad.bin: has 8 bytes, but its index has 5"));
  EXPECT_THAT(with(50, std::int64_t{1} << 40),
              HasSubstr("sequence 1 begins at byte 1099511627776"));
  EXPECT_THAT(with(58, std::int64_t{1}), HasSubstr("document 0 begins with sequence 1"));
  EXPECT_THAT(with(66, std::int64_t{-1}), HasSubstr("document 1 begins with sequence -1"));
  EXPECT_THAT(with(74, std::int64_t{1}), HasSubstr("the documents end at sequence 1, expected 2"));
  EXPECT_THAT(with(74, std::int64_t{3}), HasSubstr("document 2 begins with sequence 3"));
  fs::remove(path("bad.bin"));
  EXPECT_THAT(with_index(index_), HasSubstr("bad.bin does not exist"));
}

TEST_F(TokenFilesTest, DamagedFilesOfLlmcAreRefused) {
  const std::string good =
      bytes_of(fs::path(write("good.bin", TokenFormat::llmc, {{1, 2, 3}})).filename());
  const auto with = [&](std::size_t offset, std::int32_t value) {
    std::string bytes = good;
    bytes.replace(offset, 4, reinterpret_cast<const char*>(&value), 4);
    return refusal(write("bad.bin", bytes), {.format = TokenFormat::llmc});
  };
  EXPECT_THAT(with(0, 1), HasSubstr("its magic number is 1"));
  EXPECT_THAT(with(0, 20240522), HasSubstr("multiple-choice"));
  EXPECT_THAT(with(4, 7), HasSubstr("has version 7, expected 1"));
  EXPECT_THAT(with(8, 4), HasSubstr("its header says 4 tokens"));
  EXPECT_THAT(with(8, -1), HasSubstr("its header says -1 tokens"));
  EXPECT_THAT(refusal(write("bad.bin", good.substr(0, 100))), HasSubstr("too few for the header"));
}

TEST_F(TokenFilesTest, DamagedArraysAreRefused) {
  const std::string good =
      bytes_of(fs::path(write("good.npy", TokenFormat::npy, {{1, 2, 3}})).filename());
  const auto with = [&](const std::string& before, const std::string& after) {
    std::string bytes = good;
    bytes.replace(bytes.find(before), before.size(), after);
    return refusal(write("bad.npy", bytes), {.format = TokenFormat::npy});
  };
  EXPECT_THAT(refusal(write("bad.npy", good.substr(0, 40))), HasSubstr("header"));
  EXPECT_THAT(refusal(write("bad.npy", good + "x")), HasSubstr("has 7 bytes of elements"));
  EXPECT_THAT(with("NUMPY", "NUMPI"), HasSubstr("is no array of NumPy"));
  EXPECT_THAT(with("'descr'", "'descs'"), HasSubstr("it has no 'descr'"));
  EXPECT_THAT(with("<u2", ">u2"), HasSubstr("dtype '>u2'"));
  EXPECT_THAT(with("<u2", "<f2"), HasSubstr("dtype '<f2'"));
  EXPECT_THAT(with("<u2", "<c8"), HasSubstr("dtype '<c8'"));
  EXPECT_THAT(with("(3,)", "(-3,)"), HasSubstr("its shape is (-3,)"));
  EXPECT_THAT(with("(3,)", "(9999999999999999999,)"), HasSubstr("its shape is"));
  EXPECT_THAT(with("(3,), ", "(3,1),"), HasSubstr("has shape (3, 1)"));
  EXPECT_THAT(with("(3,)", "()  "), HasSubstr("has 6 bytes of elements, but its header says"));
}

TEST_F(TokenFilesTest, DamagedArchivesAreRefused) {
  const std::string good =
      bytes_of(fs::path(write("good.npz", TokenFormat::npz, {{1, 2, 3}})).filename());
  const auto refused = [&](const std::string& bytes) { return refusal(write("bad.npz", bytes)); };
  EXPECT_THAT(refused(good.substr(0, good.size() - 1)), HasSubstr("it has no directory"));
  EXPECT_THAT(refused(good.substr(100)), Not(HasSubstr("no error")));
  for (std::size_t i = 0; i < good.size(); i += 3) {  // no damage makes it crash or hang
    std::string bytes = good;
    bytes[i] = static_cast<char>(bytes[i] ^ 0xff);
    refused(bytes);
  }
}

}  // namespace
}  // namespace meshwright::data
