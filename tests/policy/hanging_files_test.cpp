// SPDX-License-Identifier: GPL-2.0-or-later
//
// Policy files that hang, as on a dead file server.
#include "support/restarts_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;
using namespace std::chrono_literals;

namespace {

/// Reading hangs until released, as on a dead file server.
struct Gate {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_open = false;
    bool was_read = false;

    Result<SourceDirectory> read(const fs::path& directory, uid_t trusted_user) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [this] { return is_open; });
        auto sources = read_source_directory(directory, trusted_user);
        was_read = true;
        changed.notify_all();
        return sources;
    }
    void open() {
        const std::scoped_lock lock(mutex);
        is_open = true;
        changed.notify_all();
    }
    bool wait_for_read() {
        std::unique_lock lock(mutex);
        return changed.wait_for(lock, 10s, [this] { return was_read; });
    }
};

/// How many threads this process has.
std::ptrdiff_t threads() {
    return std::distance(fs::directory_iterator("/proc/self/task"), {});
}

struct Hanging : Restarts {
    [[nodiscard]] StoreOptions hanging_options() const {
        StoreOptions slow = options();
        slow.start_patience = 50ms;
        slow.read = [gate = gate](const fs::path& path, uid_t user) { return gate->read(path, user); };
        return slow;
    }
    std::shared_ptr<Gate> gate = std::make_shared<Gate>();
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(hanging_files, Hanging)

BOOST_AUTO_TEST_CASE(hold_up_neither_start_nor_stop_and_close_the_store) {
    temp.write("a.lua", StoreSetup::warns("one"));
    StoreSetup setup(hanging_options());
    setup.store.start(directory());

    BOOST_TEST(setup.store.is_closed());
    BOOST_TEST(setup.store.status().is_reading);
    BOOST_TEST(has_text(setup.store.status().last_error->message, "qosgate.d: is still being read"));
    BOOST_TEST(has_text(setup.last_error(), "is not read yet, a file or directory may hang: until then all"));
    setup.store.stop();

    gate->open(); // until here everybody who waited for the file would wait still
    BOOST_TEST(gate->wait_for_read());
}

BOOST_AUTO_TEST_CASE(leave_in_force_what_was_kept_until_they_answer) {
    run_with("one");
    temp.write("a.lua", StoreSetup::warns("two"));
    StoreSetup setup(hanging_options());
    setup.store.start(directory());

    BOOST_TEST(setup.said() == "one");
    BOOST_TEST(setup.store.status().standing == Standing::degraded);
    gate->open();
    BOOST_TEST(StoreSetup::soon([&] { return setup.said() == "two"; }));
    BOOST_TEST(StoreSetup::soon([&] { return !setup.store.status().is_reading; }));
}

BOOST_AUTO_TEST_CASE(write_nothing_over_the_copy_of_a_later_store_when_they_answer_at_last) {
    temp.write("a.lua", StoreSetup::warns("old"));
    const auto threads_before = threads();
    auto setup = std::make_unique<StoreSetup>(hanging_options());
    setup->store.start(directory());
    setup->store.mark_active();
    setup->store.stop();
    setup.reset();
    BOOST_TEST_REQUIRE(write_kept(kept(), {{true, {}}, 1}).has_value());
    const std::string before = content_of(kept());

    gate->open();
    BOOST_TEST(gate->wait_for_read());
    // Threads of the test before may have ended only now.
    BOOST_TEST(StoreSetup::soon([&] { return threads() <= threads_before; }));

    BOOST_TEST(content_of(kept()) == before);
}

BOOST_AUTO_TEST_SUITE_END()
