// SPDX-License-Identifier: GPL-2.0-or-later
//
// Policy stores that start one after the other with the same directory and the same state.
#pragma once

#include "qosgate/policy/files/kept_policy.hpp"

#include "support/store_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>
#include <iterator>
#include <string>

#include <unistd.h>

namespace qg::test {

inline std::string content_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// One daemon after the other, with the same directory and the same state.
class Restarts {
  public:
    Restarts() { options_.poll_interval = 20ms; }

    /// Starts a store and calls `use` with it. It is the store of an active controller, which has kept the
    /// policy in force.
    template <typename Use>
    void run(Use use) {
        StoreSetup setup(options());
        setup.store.start(directory());
        setup.store.mark_active();
        use(setup);
        setup.store.stop();
    }
    /// Puts a policy in force that the next start will find.
    void run_with(const std::string& word) {
        temp.write("a.lua", StoreSetup::warns(word));
        run([&](StoreSetup& setup) {
            BOOST_TEST(StoreSetup::soon([&] { return setup.said() == word; }));
            BOOST_TEST(StoreSetup::soon([&] { return has_text(content_of(kept()), word); }));
        });
    }

    /// Keeps a policy as the store of another controller does.
    void keep_as_another(const std::string& word, const std::string& host = {}) const {
        const auto before = policy::read_kept(kept(), geteuid());
        const std::uint64_t stamp = before && *before ? (*before)->stamp + 1 : 1;
        BOOST_TEST_REQUIRE(
            policy::write_kept(
                kept(), {{true, {{"a.lua", StoreSetup::warns(word)}}}, stamp, /*never_loaded=*/false, host})
                .has_value());
    }

    [[nodiscard]] policy::StoreOptions options() const {
        policy::StoreOptions options = options_;
        options.kept_file = kept();
        return options;
    }
    /// Those of a controller of several.
    [[nodiscard]] policy::StoreOptions options_of(const std::string& host) const {
        policy::StoreOptions own = options();
        own.host = host;
        return own;
    }
    [[nodiscard]] fs::path directory() const { return temp.directory(); }
    [[nodiscard]] fs::path kept() const { return temp.root() / "qosgate_policy"; }

    TempDirectory temp;

  private:
    policy::StoreOptions options_;
};

} // namespace qg::test
