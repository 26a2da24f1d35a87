// SPDX-License-Identifier: GPL-2.0-or-later
//
// The parts of a policy in subdirectories: what is read there, and from whom.
#include "qosgate/policy/findings.hpp"
#include "support/needs_root.hpp"
#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <unistd.h>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

BOOST_AUTO_TEST_SUITE(source_parts)

BOOST_AUTO_TEST_CASE(are_read_from_the_directory_lib) {
    const TempDirectory temp;
    temp.write("t.lua", "local m = require('m')\n" + rule_with("job:warn(m.text)"));
    fs::create_directory(temp.directory() / "lib");
    chmod((temp.directory() / "lib").c_str(), 0755);
    temp.write("lib/m.lua", "return { text = 'one' }");
    temp.write("lib/.hidden.lua", "x");
    temp.write("lib/README", "x");
    const auto policy = load_policy(temp.directory());

    BOOST_TEST_REQUIRE(policy.has_value());
    BOOST_TEST(Job().run(**policy).warnings.at(0) == "one");
    BOOST_TEST((*policy)->sources().files.back().name == "lib/m.lua");
    const auto report = check_policy(temp.directory());
    BOOST_TEST(report->findings.empty());
    BOOST_TEST(report->hash == (*policy)->hash());
}

BOOST_AUTO_TEST_CASE(of_others_are_refused) {
    const TempDirectory temp;
    temp.write("t.lua", rule_with("job:warn('x')"));
    fs::create_directory(temp.directory() / "lib");
    chmod((temp.directory() / "lib").c_str(), 0755);
    const fs::path module = temp.write("lib/m.lua", "return {}");
    const auto problem = [&] {
        const auto policy = load_policy(temp.directory());
        const auto report = check_policy(temp.directory());
        BOOST_TEST(policy.has_value() == report->loads());
        return policy ? std::string() : policy.error().message;
    };
    BOOST_TEST(problem() == "");

    chmod(module.c_str(), 0664);
    BOOST_TEST(has_text(problem(), "lib/m.lua: mode 0664 lets others write it: chmod go-w '"));
    chmod(module.c_str(), 0644);
    chmod((temp.directory() / "lib").c_str(), 0775);
    BOOST_TEST(has_text(problem(), "qosgate.d/lib: mode 0775 lets others write it"));
    fs::remove(module); // an empty directory counts, too
    BOOST_TEST(has_text(problem(), "qosgate.d/lib: mode 0775 lets others write it"));
    fs::remove_all(temp.directory() / "lib");
    temp.write("lib", "");
    BOOST_TEST(has_text(problem(), "qosgate.d/lib: cannot be read: Not a directory"));
}

BOOST_AUTO_TEST_CASE(of_somebody_else_are_refused, *needs_root()) {
    const TempDirectory temp;
    temp.write("t.lua", rule_with("job:warn('x')"));
    fs::create_directory(temp.directory() / "lib");
    chmod((temp.directory() / "lib").c_str(), 0755);
    const fs::path module = temp.write("lib/m.lua", "return {}");
    BOOST_TEST(load_policy(temp.directory()).has_value());

    BOOST_TEST_REQUIRE(chown(module.c_str(), 1234, 0) == 0);
    const auto policy = load_policy(temp.directory());
    BOOST_TEST_REQUIRE(!policy.has_value());
    BOOST_TEST(
        has_text(policy.error().message, "lib/m.lua: belongs to user id 1234, which is neither root nor"));
    BOOST_TEST(!check_policy(temp.directory())->loads());
}

BOOST_AUTO_TEST_CASE(that_change_change_the_signature) {
    const TempDirectory temp;
    const std::uint64_t without = stat_signature(temp.directory());
    fs::create_directory(temp.directory() / "lib");
    const std::uint64_t empty = stat_signature(temp.directory());
    temp.write("lib/m.lua", "return {}");
    const std::uint64_t one = stat_signature(temp.directory());
    temp.write("lib/m.lua", "return { }");

    BOOST_TEST(without != empty);
    BOOST_TEST(empty != one);
    BOOST_TEST(one != stat_signature(temp.directory()));
}

BOOST_AUTO_TEST_CASE(are_not_read_beyond_their_number) {
    const TempDirectory temp;
    fs::create_directory(temp.directory() / "lib");
    chmod((temp.directory() / "lib").c_str(), 0755);
    for (std::size_t i = 0; i < max_modules; ++i)
        temp.write(text::format("lib/m{}.lua", i), "return {}");
    BOOST_TEST(load_policy(temp.directory()).has_value());

    temp.write("lib/more.lua", "return {}");
    BOOST_TEST(
        has_text(load_policy(temp.directory()).error().message, "lib: holds 65 files, at most 64 are read"));
}

BOOST_AUTO_TEST_SUITE_END()
