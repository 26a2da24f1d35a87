// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/record_file.hpp"
#include "support/comes_true.hpp"
#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/stat.h>
#include <unistd.h>

using qg::plugin::RecordFile;
using qg::plugin::RecordTarget;
using qg::test::comes_true;
using namespace std::chrono_literals;

namespace {

struct RecordFileSetup {
    std::filesystem::path path(const char* name = "records") const { return directory.root() / name; }
    RecordTarget target(std::uint64_t max_bytes = 1000) const { return {path(), max_bytes, 2}; }

    static std::string content(const std::filesystem::path& file) {
        std::ostringstream text;
        text << std::ifstream(file).rdbuf();
        return text.str();
    }
    /// Writes these records and waits until they are written.
    static void write(RecordFile& file, const RecordTarget& target,
                      std::initializer_list<const char*> records) {
        for (const char* record : records)
            file.add(target, record);
        file.stop(10s);
    }

    qg::test::TempDirectory directory;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(record_file, RecordFileSetup)

BOOST_AUTO_TEST_CASE(records_are_lines_in_a_file_that_only_the_owner_reads) {
    RecordFile file;
    write(file, target(), {"{\"a\": 1}", "{\"b\": 2}"});
    BOOST_TEST(content(path()) == "{\"a\": 1}\n{\"b\": 2}\n");
    struct stat status {};
    BOOST_TEST_REQUIRE(stat(path().c_str(), &status) == 0);
    BOOST_TEST((status.st_mode & 0777) == 0600u);
    BOOST_TEST(file.counts().written == 2u);
    BOOST_TEST(file.counts().dropped == 0u);
}

BOOST_AUTO_TEST_CASE(records_are_added_to_those_that_are_there) {
    for (const char* record : {"{\"a\": 1}", "{\"b\": 2}"}) {
        RecordFile file;
        write(file, target(), {record});
    }
    BOOST_TEST(content(path()) == "{\"a\": 1}\n{\"b\": 2}\n");
}

BOOST_AUTO_TEST_CASE(a_file_that_is_full_is_renamed_and_the_oldest_goes) {
    for (const char* record : {"{\"a\": 1}", "{\"b\": 2}", "{\"c\": 3}", "{\"d\": 4}"}) {
        RecordFile file;
        write(file, target(/*max_bytes=*/9), {record});
    }
    BOOST_TEST(content(path()) == "{\"d\": 4}\n");
    BOOST_TEST(content(path("records.1")) == "{\"c\": 3}\n");
    BOOST_TEST(content(path("records.2")) == "{\"b\": 2}\n");
    BOOST_TEST(!std::filesystem::exists(path("records.3")));
}

BOOST_AUTO_TEST_CASE(a_file_is_filled_up_to_its_size) {
    for (const char* record : {"{\"a\": 1}", "{\"b\": 2}"}) {
        RecordFile file;
        write(file, target(/*max_bytes=*/18), {record});
    }
    BOOST_TEST(!std::filesystem::exists(path("records.1")));
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_in_the_queue_is_dropped_and_counted) {
    RecordFile file;
    const std::string large = "{" + std::string(RecordFile::max_waiting_bytes, ' ') + "}";
    file.add(target(), large);
    file.add(target(), "{\"a\": 1}");
    file.stop(10s);
    BOOST_TEST(content(path()) == "{\"dropped_before\": 1, \"a\": 1}\n");
    BOOST_TEST(file.counts().dropped == 1u);
    BOOST_TEST(file.counts().written == 1u);
}

BOOST_AUTO_TEST_CASE(only_so_many_records_wait) {
    RecordFile file;
    for (std::size_t i = 0; i < RecordFile::max_waiting * 2; ++i)
        file.add(target(1 << 20), "{}");
    file.stop(10s);
    const auto counts = file.counts();
    BOOST_TEST(counts.written + counts.dropped == RecordFile::max_waiting * 2);
    BOOST_TEST(counts.written >= RecordFile::max_waiting);
    BOOST_TEST(counts.dropped > 0u);
}

BOOST_AUTO_TEST_CASE(a_file_that_others_could_have_made_is_refused) {
    const auto is_refused = [this](const char* why) {
        RecordFile file;
        write(file, target(), {"{}"});
        BOOST_TEST(file.counts().last_error.find(why) != std::string::npos, file.counts().last_error);
        BOOST_TEST(file.counts().dropped == 1u);
    };
    std::ofstream(path("elsewhere")) << "mine";
    std::filesystem::create_symlink(path("elsewhere"), path());
    is_refused("is a symbolic link");
    BOOST_TEST(content(path("elsewhere")) == "mine");

    std::filesystem::remove(path());
    BOOST_TEST_REQUIRE(mkfifo(path().c_str(), 0600) == 0);
    is_refused("cannot be opened");

    std::filesystem::remove(path());
    std::ofstream(path()) << "";
    std::filesystem::permissions(path(), std::filesystem::perms(0660));
    is_refused("can be written by others");

    std::filesystem::remove(path());
    std::filesystem::create_directory(path());
    is_refused("cannot be opened");
}

BOOST_AUTO_TEST_CASE(a_missing_directory_is_told_with_a_cure) {
    RecordFile file;
    auto elsewhere = target();
    elsewhere.file = (path("none") / "records.jsonl").string();
    write(file, elsewhere, {"{}"});

    BOOST_TEST(file.counts().last_error ==
               elsewhere.file +
                   ": its directory does not exist; make one that SlurmUser can write, or change "
                   "record_file in site.lua");
}

BOOST_AUTO_TEST_CASE(a_file_that_was_moved_away_is_made_again) {
    RecordFile file;
    file.add(target(), "{\"a\": 1}");
    BOOST_TEST_REQUIRE(comes_true([&] { return file.counts().written > 0; }));
    std::filesystem::rename(path(), path("moved"));
    write(file, target(), {"{\"b\": 2}"});
    BOOST_TEST(content(path("moved")) == "{\"a\": 1}\n");
    BOOST_TEST(content(path()) == "{\"b\": 2}\n");
}

BOOST_AUTO_TEST_SUITE_END()
