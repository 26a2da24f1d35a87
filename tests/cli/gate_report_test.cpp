// SPDX-License-Identifier: GPL-2.0-or-later
//
// The plugin's report as `qosgate status` and `qosgate exporter` read it
// (contrib/qosgate/common/gate_report.hpp): what may lie in its place, and when it is that of a plugin that
// is loaded.
#include "common/gate_report.hpp"

#include "qosgate/base/process_start.hpp"
#include "qosgate/base/report_files.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <ctime>
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

using namespace qg;
using Writer = cli::GateReport::Writer;

namespace {

constexpr std::time_t report_time = 1'000'000;

/// An empty StateSaveLocation.
struct ReportSetup {
    std::filesystem::path directory = [] {
        std::string pattern = std::filesystem::temp_directory_path() / "qosgate-report-XXXXXX";
        BOOST_REQUIRE(mkdtemp(pattern.data()) != nullptr);
        return pattern;
    }();
    std::filesystem::path file = cli::GateReport::file_in(directory);

    ~ReportSetup() { std::filesystem::remove_all(directory); }

    Result<cli::GateReport> read() const { return cli::GateReport::read(directory); }

    Result<cli::GateReport> read(const std::string& content) const {
        std::ofstream(file) << content;
        return read();
    }

    void check_refused(const std::string& why) const {
        const auto report = read();
        BOOST_TEST_REQUIRE(!report);
        BOOST_TEST(report.error().code == ErrorCode::invalid_input);
        BOOST_TEST(report.error().message.find(file.string() + ": " + why) != std::string::npos,
                   report.error().message);
    }
};

cli::GateReport written(std::time_t at) {
    return cli::GateReport(cli::ReportPart::Json{{"written_at", at}, {"host", "elsewhere"}});
}

} // namespace

BOOST_AUTO_TEST_SUITE(gate_report)

BOOST_FIXTURE_TEST_CASE(no_report_is_no_error, ReportSetup) {
    const auto report = read();

    BOOST_TEST_REQUIRE(report.has_value());
    BOOST_TEST(!report->exists());
    BOOST_TEST(report->find_writer(report_time) == Writer::absent);
    BOOST_TEST(report->json().is_null());
}

BOOST_FIXTURE_TEST_CASE(members_by_name, ReportSetup) {
    const auto report = read(
        R"({"a": {"n": 1.5, "t": "x"}, "flag": true, "list": [1, "y", {"n": 2}, -1, null], "big": 9007199254740992})");

    BOOST_TEST_REQUIRE(report.has_value());
    BOOST_TEST(report->number("a.n").value() == 1.5);
    BOOST_TEST(report->count("a.n") == 1);
    BOOST_TEST(report->part("a").text("t") == "x");
    BOOST_TEST(report->has("a"));
    BOOST_TEST(report->flag("flag"));
    BOOST_TEST(report->number("big").value() == cli::ReportPart::max_number);
    BOOST_TEST(report->numbers("list") == std::vector<double>{1});
    BOOST_TEST(report->texts("list") == std::vector<std::string>{"y"});
    BOOST_TEST_REQUIRE(report->parts("list").size() == 1);
    BOOST_TEST(report->parts("list").front().count("n") == 2);
}

BOOST_FIXTURE_TEST_CASE(a_member_of_a_wrong_type_is_missing, ReportSetup) {
    const auto report = read(R"({"n": "1", "t": 1, "flag": 1, "list": {}, "part": [], "low": -1,
                                 "high": 18446744073709551615, "huge": 1e300})");

    BOOST_TEST_REQUIRE(report.has_value());
    for (const char* key : {"n", "low", "high", "huge", "absent", "n.x", "list.x", ""})
        BOOST_TEST(!report->number(key).has_value(), key);
    BOOST_TEST(report->text("t", "?") == "?");
    BOOST_TEST(!report->flag("flag"));
    BOOST_TEST(!report->has("part"));
    BOOST_TEST(!report->part("part").number("x").has_value());
    for (const char* key : {"n", "list", "absent"})
        BOOST_TEST(
            (report->parts(key).empty() && report->texts(key).empty() && report->numbers(key).empty()));
}

BOOST_FIXTURE_TEST_CASE(what_is_no_regular_file_is_refused_at_once, ReportSetup) {
    const std::clock_t begin = std::clock();

    BOOST_TEST_REQUIRE(mkfifo(file.c_str(), 0600) == 0);
    check_refused("not a regular file");
    std::filesystem::remove(file);
    std::filesystem::create_directory(file);
    check_refused("not a regular file");
    std::filesystem::remove(file);
    std::filesystem::create_symlink("/dev/zero", file);
    check_refused("a symbolic link");
    BOOST_TEST(std::clock() - begin < 2 * CLOCKS_PER_SEC); // who waits for a writer waits for ever
}

BOOST_FIXTURE_TEST_CASE(a_report_has_at_most_4_mib, ReportSetup) {
    const std::string report = R"({"a": 1})";

    BOOST_TEST(read(report + std::string(cli::GateReport::max_bytes - report.size(), ' ')).has_value());
    std::ofstream(file, std::ios::app) << ' ';
    check_refused("more than 4 MiB");
}

BOOST_FIXTURE_TEST_CASE(what_is_no_object_of_json_is_refused, ReportSetup) {
    const auto nested = [](int depth) {
        std::string text = R"({"a": 1})";
        for (int i = 1; i < depth; ++i)
            text = R"({"a": )" + text + "}";
        return text;
    };

    for (const std::string& content :
         {std::string(), std::string("{"), std::string("[]"), std::string("7"), std::string("{}x"),
          std::string("{\"a\": \"\xff\"}"), std::string(R"({"a": NaN})"), std::string(R"({"a": 1e999})"),
          nested(1000), std::string(1'000'000, '[')}) {
        std::ofstream(file) << content;
        check_refused("not an object of JSON");
    }
    BOOST_TEST(read(nested(cli::GateReport::max_depth)).has_value());
}

BOOST_AUTO_TEST_CASE(a_report_counts_for_two_minutes_and_a_minute_ahead) {
    const cli::GateReport elsewhere(cli::ReportPart::Json{{"host", "elsewhere"}});
    BOOST_TEST(written(report_time).find_writer(report_time) == Writer::runs);
    BOOST_TEST(written(report_time - 120).find_writer(report_time) == Writer::runs);
    BOOST_TEST(written(report_time - 121).find_writer(report_time) == Writer::silent);
    BOOST_TEST(written(report_time + 60).find_writer(report_time) == Writer::runs);
    BOOST_TEST(written(report_time + 61).find_writer(report_time) == Writer::in_future);
    BOOST_TEST(elsewhere.find_writer(report_time) == Writer::silent);
}

BOOST_AUTO_TEST_CASE(of_a_process_that_is_seen_the_age_says_only_whether_the_report_is_late) {
    const auto own = [](std::time_t at, int start_shift = 0) {
        return cli::GateReport(
            cli::ReportPart::Json{{"written_at", at},
                                  {"host", own_host_name()},
                                  {"pid", getpid()},
                                  {"process_start", *process_start(getpid()) + start_shift}});
    };
    for (const auto at : {report_time, report_time - 45, report_time + 45})
        BOOST_TEST(own(at).find_writer(report_time) == Writer::runs);
    for (const auto at : {report_time - 46, report_time - 3600, report_time + 46, report_time + 3600}) {
        BOOST_TEST(own(at).find_writer(report_time) == Writer::late);
        BOOST_TEST(own(at).is_loaded(report_time));
    }
    BOOST_TEST(own(report_time, 1).find_writer(report_time) ==
               Writer::gone); // another process has its number
    BOOST_TEST(!own(report_time, 1).is_loaded(report_time));
}

BOOST_AUTO_TEST_SUITE_END()
