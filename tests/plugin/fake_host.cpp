// SPDX-License-Identifier: GPL-2.0-or-later
#include "fake_host.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace {

// Before each block, as in Slurm's allocator. Pointers from elsewhere have no header.
constexpr std::size_t header_size = 16;
constexpr char magic[header_size] = "block of a host";

int blocks = 0;
std::vector<std::string> lines;

void keep(const char* level, const char* format, va_list arguments) {
    char line[2048];
    std::vsnprintf(line, sizeof line, format, arguments);
    lines.push_back(std::string(level) + ": " + line);
}

} // namespace

extern "C" {

char* slurm_xstrdup(const char* text) {
    auto* block = static_cast<char*>(std::malloc(header_size + std::strlen(text) + 1));
    std::memcpy(block, magic, header_size);
    std::strcpy(block + header_size, text);
    ++blocks;
    return block + header_size;
}

void slurm_xfree(void** block) {
    if (*block == nullptr) return;
    char* const start = static_cast<char*>(*block) - header_size;
    BOOST_TEST_REQUIRE(std::memcmp(start, magic, header_size) == 0, "a block of another allocator is freed");
    std::free(start);
    *block = nullptr;
    --blocks;
}

void slurm_error(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    keep("error", format, arguments);
    va_end(arguments);
}

void slurm_verbose(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    keep("verbose", format, arguments);
    va_end(arguments);
}

void slurm_debug(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    keep("debug", format, arguments);
    va_end(arguments);
}

void slurm_debug2(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    keep("debug2", format, arguments);
    va_end(arguments);
}

void slurm_debug3(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    keep("debug3", format, arguments);
    va_end(arguments);
}

/// Clears what is new; `count` is the number of elements.
void* slurm_xrecalloc(void** block, std::size_t count, std::size_t size, bool /*clear*/, bool /*may_fail*/,
                      const char* /*file*/, int /*line*/, const char* /*function*/) {
    auto* fresh = static_cast<char*>(std::calloc(1, header_size + count * size));
    std::memcpy(fresh, magic, header_size);
    if (*block != nullptr) {
        char* const old = static_cast<char*>(*block) - header_size;
        BOOST_TEST_REQUIRE(std::memcmp(old, magic, header_size) == 0, "a block of another allocator grows");
        std::memcpy(fresh + header_size, *block, count * size - size); // tests add one element at a time
        std::free(old);
    } else {
        ++blocks;
    }
    *block = fresh + header_size;
    return *block;
}

void slurm_info(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    keep("info", format, arguments);
    va_end(arguments);
}

} // extern "C"

namespace qg::test {

std::vector<std::string> take_log() {
    return std::exchange(lines, {});
}

char* host_text(const char* text) {
    return slurm_xstrdup(text);
}

int blocks_in_use() noexcept {
    return blocks;
}

} // namespace qg::test
