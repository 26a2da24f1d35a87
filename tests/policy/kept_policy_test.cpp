// SPDX-License-Identifier: GPL-2.0-or-later
//
// The kept copy of the policy in force, without a store.
#include "qosgate/policy/files/kept_policy.hpp"

#include "qosgate/base/fnv.hpp"
#include "qosgate/base/text.hpp"

#include "support/needs_root.hpp"
#include "support/policy_setup.hpp"
#include "support/restarts_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <limits>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(kept_policy)

BOOST_AUTO_TEST_CASE(gives_back_what_was_kept) {
    const TempDirectory temp;
    const fs::path file = temp.root() / "kept";
    BOOST_TEST(!read_kept(file, geteuid())->has_value());

    for (const SourceDirectory& sources :
         {SourceDirectory{true, {{"a b\n.lua", "1\n"}, {"c.lua", ""}}},
          SourceDirectory{
              true,
              {{"a.lua", "1"}, {"data/c.csv", std::string(max_data_file_bytes, 'x')}, {"lib/b.lua", "2"}}},
          SourceDirectory{true, {}}, SourceDirectory{}}) {
        BOOST_TEST(write_kept(file, {sources, 7}).has_value());
        const auto kept = read_kept(file, geteuid());
        BOOST_TEST_REQUIRE(kept.has_value());
        BOOST_TEST_REQUIRE(kept->has_value());
        BOOST_TEST((*kept)->sources.exists == sources.exists);
        BOOST_TEST(hash_of((*kept)->sources) == hash_of(sources));
        BOOST_TEST((*kept)->stamp == 7u);
    }
    struct stat info {};
    BOOST_TEST_REQUIRE(stat(file.c_str(), &info) == 0);
    BOOST_TEST((info.st_mode & 07777u) == 0600u);
    BOOST_TEST(std::distance(fs::directory_iterator(temp.root()), {}) ==
               2); // the file and the directory, and no temporary file
}

BOOST_AUTO_TEST_CASE(takes_no_damaged_copy) {
    const std::string whole = to_kept_text({{true, {{"a.lua", "text"}, {"b.lua", "more"}}}, 7});
    BOOST_TEST(parse_kept_text(whole).has_value());

    for (std::size_t length = 0; length < whole.size(); ++length)
        BOOST_TEST(!parse_kept_text(whole.substr(0, length)).has_value());
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string changed = whole;
        changed[at] ^= 1;
        BOOST_TEST(!parse_kept_text(changed).has_value());
    }
    BOOST_TEST(!parse_kept_text(whole + "x").has_value());
}

BOOST_AUTO_TEST_CASE(takes_a_copy_that_was_written_without_a_stamp) {
    // The format of the first releases.
    const auto kept =
        parse_kept_text("qosgate_policy 1 39dc1d3c8ae5e2e1\nfolder 1 files 1\n5 4\na.luatext\n");
    BOOST_TEST_REQUIRE(kept.has_value());
    BOOST_TEST(kept->sources.files.at(0).text == "text");
    BOOST_TEST(kept->stamp == 0u);
}

BOOST_AUTO_TEST_CASE(says_that_nothing_ever_loaded) {
    const auto kept = parse_kept_text(to_kept_text({.sources = {}, .stamp = 7, .never_loaded = true}));
    BOOST_TEST_REQUIRE(kept.has_value());
    BOOST_TEST(kept->never_loaded);
    BOOST_TEST(!kept->sources.exists);
    BOOST_TEST(kept->sources.files.empty());
    BOOST_TEST(kept->stamp == 7u);
    BOOST_TEST(!parse_kept_text(to_kept_text({{}, 7}))->never_loaded);
    BOOST_TEST(!parse_kept_text(to_kept_text({{true, {{"a.lua", "x"}}}, 7, true})).has_value());
}

BOOST_AUTO_TEST_CASE(tells_the_controller_that_kept_it) {
    const std::string longest(255, 'h');
    for (const std::string& host : {std::string("head-1.hpc_x.org"), std::string("7"), longest}) {
        const auto kept = parse_kept_text(to_kept_text({{true, {{"a.lua", "x"}}}, 7, false, host}));
        BOOST_TEST_REQUIRE(kept.has_value());
        BOOST_TEST(kept->host == host);
        BOOST_TEST(kept->stamp == 7u);
    }
    for (const std::string& host : {std::string(), std::string("a b"), std::string("a\nb"), longest + "h"}) {
        const std::string text = to_kept_text({{}, 7, false, host});
        BOOST_TEST(text == to_kept_text({{}, 7}));
        BOOST_TEST(parse_kept_text(text)->host.empty());
    }
}

BOOST_AUTO_TEST_CASE(takes_no_copy_with_a_host_that_is_none) {
    const auto with_line = [](const std::string& line) {
        const std::string body = "folder 0 files 0\nstamp 7\n" + line;
        Fnv hash;
        hash.add(body);
        return text::format("qosgate_policy 1 {:016x}\n{}", hash.value(), body);
    };
    BOOST_TEST(parse_kept_text(with_line("host head1\n")).has_value());
    for (const std::string& line : {std::string("host \n"), std::string("host a b\n"),
                                    std::string("host head1"), std::string("host head1\nhost head2\n"),
                                    std::string("node head1\n"), "host " + std::string(256, 'h') + "\n"})
        BOOST_TEST(!parse_kept_text(with_line(line)).has_value(), line);
}

BOOST_AUTO_TEST_CASE(takes_no_stamp_behind_which_there_is_none) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / 2;
    BOOST_TEST(parse_kept_text(to_kept_text({{}, most})).has_value());
    BOOST_TEST(!parse_kept_text(to_kept_text({{}, most + 1})).has_value());
}

BOOST_AUTO_TEST_CASE(takes_no_copy_that_others_could_have_written) {
    const TempDirectory temp;
    const fs::path file = temp.root() / "kept";
    BOOST_TEST_REQUIRE(write_kept(file, {}).has_value());

    chmod(file.c_str(), 0620);
    BOOST_TEST(has_text(read_kept(file, geteuid()).error().message, "kept: mode 0620 lets others write it"));
    chmod(file.c_str(), 0600);
    fs::rename(file, temp.root() / "other");
    fs::create_symlink("other", file);
    BOOST_TEST(has_text(read_kept(file, geteuid()).error().message, "kept: not a regular file"));
}

BOOST_AUTO_TEST_CASE(takes_no_copy_of_somebody_else, *needs_root()) {
    const TempDirectory temp;
    const fs::path file = temp.root() / "kept";
    BOOST_TEST_REQUIRE(write_kept(file, {}).has_value());
    BOOST_TEST(read_kept(file, 0).has_value());

    BOOST_TEST_REQUIRE(chown(file.c_str(), 1234, 0) == 0);
    BOOST_TEST(has_text(read_kept(file, 0).error().message, "kept: belongs to user id 1234"));
}

BOOST_AUTO_TEST_CASE(leaves_the_old_copy_where_a_new_one_cannot_be_written) {
    const TempDirectory temp;
    const auto done = write_kept(temp.root() / "no directory" / "kept", {});

    BOOST_TEST(has_text(done.error().message, "kept: cannot be written: No such file or directory"));
}

BOOST_AUTO_TEST_SUITE_END()
