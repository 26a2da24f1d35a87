// SPDX-License-Identifier: GPL-2.0-or-later
#include "status_file.hpp"
#include "status_report.hpp"

#include "qosgate/base/process_start.hpp"
#include "qosgate/base/text.hpp"

#include <boost/test/unit_test.hpp>

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

using namespace qg;
using namespace std::chrono_literals;

namespace {

std::string read(const std::filesystem::path& path) {
    std::ostringstream content;
    content << std::ifstream(path).rdbuf();
    return content.str();
}

struct Folder {
    Folder() {
        std::string made = (std::filesystem::temp_directory_path() / "qosgate-XXXXXX").string();
        BOOST_TEST_REQUIRE(mkdtemp(made.data()) != nullptr);
        path = made;
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::filesystem::path path;
};

} // namespace

BOOST_AUTO_TEST_SUITE(status)

BOOST_AUTO_TEST_CASE(a_report_quotes_what_would_end_a_text) {
    policy::StoreStatus policy;
    policy.last_error = Error{ErrorCode::invalid_input, "say \"rule\" \\ here\n"};
    plugin::DecisionCounts counts;
    model::Decision refused;
    refused.reject = model::RejectCode::access_denied;
    counts.count(refused, /*is_change=*/false);
    counts.count({}, /*is_change=*/true);
    const std::string partitions_error;

    const std::string json =
        plugin::StatusReport{1, policy, policy::Level::explain, std::nullopt, partitions_error, counts}
            .to_json();

    BOOST_TEST(json.find(R"("last_error": "say \"rule\" \\ here?")") != std::string::npos);
    BOOST_TEST(json.find(text::format(R"("pid": {}, "process_start": {}, )", getpid(),
                                      process_start(getpid()).value())) != std::string::npos);
    BOOST_TEST(json.find(R"("partitions_read_at": null, "partitions_error": null)") != std::string::npos);
    BOOST_TEST(json.find(R"("jobs": 1, "changes": 1, "refused": 1)") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_file_is_written_once_there_is_something_to_say_and_gone_at_the_end) {
    const Folder folder;
    const auto path = folder.path / "status.json";
    auto words = std::make_shared<std::string>("\"a\": 1");
    plugin::StatusFile file;
    file.start(path, [words] { return *words; });
    for (int i = 0; i < 100 && read(path).empty(); ++i)
        std::this_thread::sleep_for(20ms);

    BOOST_TEST(read(path).starts_with("{\"a\": 1, \"written_at\": "));
    BOOST_TEST(read(path).ends_with("}\n"));
    BOOST_TEST(std::filesystem::status(path).permissions() == std::filesystem::perms(0644));

    file.stop(1s);
    BOOST_TEST(!std::filesystem::exists(path));
}

BOOST_AUTO_TEST_CASE(what_an_earlier_process_left_half_written_is_taken_away_at_the_start) {
    const Folder folder;
    const auto left = folder.path / "status.json.AbC123";
    std::ofstream(left) << "half";
    std::filesystem::last_write_time(left, std::filesystem::file_time_type::clock::now() - 1h);
    plugin::StatusFile file;
    file.start(folder.path / "status.json", [] { return std::string(); });
    for (int i = 0; i < 100 && std::filesystem::exists(left); ++i)
        std::this_thread::sleep_for(20ms);
    BOOST_TEST(!std::filesystem::exists(left));
    file.stop(1s);
}

BOOST_AUTO_TEST_CASE(a_standby_controller_writes_nothing) {
    const Folder folder;
    plugin::StatusFile file;
    auto asked = std::make_shared<std::atomic<int>>(0);
    file.start(folder.path / "status.json", [asked] {
        ++*asked;
        return std::string();
    });
    for (int i = 0; i < 500 && *asked < 2; ++i)
        std::this_thread::sleep_for(20ms);
    BOOST_TEST(*asked >= 2); // the first time is over
    BOOST_TEST(std::filesystem::is_empty(folder.path));

    std::ofstream(folder.path / "status.json") << "the other's";
    file.stop(1s);
    BOOST_TEST(read(folder.path / "status.json") == "the other's");
}

BOOST_AUTO_TEST_CASE(a_standby_controller_is_asked_less_and_less) {
    const Folder folder;
    std::atomic<int> asked = 0;
    plugin::StatusFile file;
    file.start(folder.path / "status.json", [&] {
        ++asked;
        return std::string();
    });
    std::this_thread::sleep_for(2s);
    file.stop(1s);
    BOOST_TEST(asked <= 25); // 50 ms, 60 ms and so on; each 50 ms it would be 40 times
}

BOOST_AUTO_TEST_CASE(a_controller_that_is_a_standby_again_leaves_the_other_ones_file_alone) {
    const Folder folder;
    const auto path = folder.path / "status.json";
    std::atomic<bool> is_standby = false;
    plugin::StatusFile file;
    file.start(path, [&] { return std::string(is_standby ? "" : "\"a\": 1"); });
    for (int i = 0; i < 100 && read(path).empty(); ++i)
        std::this_thread::sleep_for(20ms);
    is_standby = true;
    std::this_thread::sleep_for(1500ms); // a look
    std::ofstream(path) << "the other's";

    file.stop(1s);

    BOOST_TEST(read(path) == "the other's");
}

BOOST_AUTO_TEST_SUITE_END()
