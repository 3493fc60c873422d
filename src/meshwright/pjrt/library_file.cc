// SPDX-License-Identifier: Apache-2.0
#include "meshwright/pjrt/library_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <elf.h>

#include "meshwright/base/str.h"

namespace meshwright::pjrt {
namespace {

#if defined(__x86_64__)
constexpr unsigned kThisMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kThisMachine = EM_AARCH64;
#else
#error "name the ELF machine of this architecture"
#endif

std::string machine_name(unsigned machine) {
  if (machine == EM_X86_64) return "x86-64";
  if (machine == EM_AARCH64) return "64-bit Arm";
  return str("machine type ", machine);
}

}  // namespace

std::string library_fault(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return "does not exist";
  if (!std::filesystem::is_regular_file(path, error)) return "is not a file";
  std::ifstream file(path, std::ios::binary);
  if (!file) return str("cannot be read: ", std::strerror(errno));
  Elf64_Ehdr header{};
  file.read(reinterpret_cast<char*>(&header), sizeof(header));
  if (file.gcount() != sizeof(header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return "is not a shared library";
  if (header.e_ident[EI_CLASS] != ELFCLASS64) return "is a 32-bit library";
  if (header.e_machine != kThisMachine)
    return str("is built for ", machine_name(header.e_machine), ", but this machine is ",
               machine_name(kThisMachine));
  // Linkers put the section table at the end of a library.
  auto wanted = header.e_shoff + std::uint64_t{header.e_shnum} * header.e_shentsize;
  auto size = std::filesystem::file_size(path, error);
  if (size < wanted) return str("is truncated: ", size, " of ", wanted, " bytes");
  return {};
}

}  // namespace meshwright::pjrt
