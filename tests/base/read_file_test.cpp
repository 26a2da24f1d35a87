// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/read_file.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <unistd.h>

using namespace qg;

namespace {

/// A file with this content, gone with the object.
struct File {
    std::string path;
    explicit File(const std::string& content) {
        std::string name = (std::filesystem::temp_directory_path() / "qosgate-read-XXXXXX").string();
        const int file = mkstemp(name.data());
        BOOST_TEST_REQUIRE(file >= 0);
        close(file);
        path = name;
        std::ofstream(path, std::ios::binary) << content;
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() { std::filesystem::remove(path); }
};

std::string error_of(const std::string& path, std::size_t max_bytes) {
    const auto read = read_file(path, max_bytes);
    return read ? "" : read.error().message;
}

} // namespace

BOOST_AUTO_TEST_SUITE(read_files)

BOOST_AUTO_TEST_CASE(a_file_of_just_so_many_bytes_is_read_and_a_larger_one_is_not) {
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{5}, std::size_t{1} << 16u, std::size_t{200'000}}) {
        std::string content(size, 'x');
        if (size > 0) content.back() = '\0';
        const File file(content);
        BOOST_TEST(read_file(file.path, size).value() == content);
        BOOST_TEST(read_file(file.path, size + 1).value() == content);
        if (size > 0) BOOST_TEST(error_of(file.path, size - 1).starts_with(file.path + ": larger than "));
    }
}

BOOST_AUTO_TEST_CASE(what_has_no_end_is_read_up_to_the_bound) {
    BOOST_TEST(error_of("/dev/zero", 4096) == "/dev/zero: larger than 4 KiB");
    BOOST_TEST(read_file("/dev/null", 0).value() == "");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_is_an_error) {
    BOOST_TEST(error_of("/no/such/file", 10) == "/no/such/file: cannot be read: No such file or directory");
    BOOST_TEST(error_of("/tmp", 10) == "/tmp: cannot be read: Is a directory");
}

BOOST_AUTO_TEST_CASE(lines_are_read_one_by_one_and_a_long_one_is_an_error) {
    std::istringstream in("one\n\nfive5\nlast");
    std::string line;
    for (const char* expected : {"one", "", "five5", "last"}) {
        BOOST_TEST(read_line(in, line, 5).value());
        BOOST_TEST(line == expected);
    }
    BOOST_TEST(!read_line(in, line, 5).value());
    std::istringstream long_one("sixsix\n");
    BOOST_TEST(read_line(long_one, line, 5).error().message == "longer than 0 KiB");
    std::ifstream endless("/dev/zero");
    BOOST_TEST(read_line(endless, line, std::size_t{2} << 20u).error().message == "longer than 2048 KiB");
}

BOOST_AUTO_TEST_SUITE_END()
