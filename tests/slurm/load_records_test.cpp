// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/load_records.hpp"

#include <boost/test/unit_test.hpp>

#include <cerrno>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace qg;

namespace {

/// A message without anything in it, which the test frees.
struct Message {};
struct Free {
    void operator()(Message* message) const { delete message; }
};
using OwnedMessage = std::unique_ptr<Message, Free>;

/// A slurmctld that fails with these errors, one request after the other, and then answers.
class FakeController {
  public:
    explicit FakeController(std::vector<int> errors) : errors_(std::move(errors)) {}

    Result<OwnedMessage> load() {
        return slurm::load<OwnedMessage>("reading the reservations", [this](Message** message) {
            const std::size_t request = requests_++;
            if (request >= errors_.size()) {
                *message = new Message;
                return SLURM_SUCCESS;
            }
            errno = errors_[request];
            return SLURM_ERROR;
        });
    }
    [[nodiscard]] std::size_t requests() const noexcept { return requests_; }

  private:
    std::vector<int> errors_;
    std::size_t requests_ = 0;
};

} // namespace

BOOST_AUTO_TEST_SUITE(load_records)

BOOST_AUTO_TEST_CASE(a_request_that_slurmctld_cuts_off_is_sent_once_more) {
    for (const int error :
         {EPIPE, ECONNRESET, int(SLURM_ERROR), int(SLURM_PROTOCOL_SOCKET_ZERO_BYTES_SENT),
          int(SLURMCTLD_COMMUNICATIONS_SEND_ERROR), int(SLURMCTLD_COMMUNICATIONS_RECEIVE_ERROR)})
        BOOST_TEST_CONTEXT(slurm_strerror(error)) {
            FakeController slurmctld({error});
            const auto message = slurmctld.load();
            BOOST_TEST_REQUIRE(message.has_value());
            BOOST_TEST(*message != nullptr);
            BOOST_TEST(slurmctld.requests() == 2u);
        }
}

BOOST_AUTO_TEST_CASE(a_request_that_is_cut_off_twice_fails) {
    FakeController slurmctld({ECONNRESET, EPIPE});
    const auto message = slurmctld.load();
    BOOST_TEST_REQUIRE(!message.has_value());
    BOOST_TEST(message.error().message == "reading the reservations: Broken pipe");
    BOOST_TEST(slurmctld.requests() == 2u);
}

BOOST_AUTO_TEST_CASE(a_request_that_fails_otherwise_is_not_sent_again) {
    for (const int error : {int(ESLURM_ACCESS_DENIED), int(SLURM_PROTOCOL_SOCKET_IMPL_TIMEOUT),
                            int(SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR), ECONNREFUSED})
        BOOST_TEST_CONTEXT(slurm_strerror(error)) {
            FakeController slurmctld({error});
            const auto message = slurmctld.load();
            BOOST_TEST_REQUIRE(!message.has_value());
            BOOST_TEST(message.error().message ==
                       std::string("reading the reservations: ") + slurm_strerror(error));
            BOOST_TEST(slurmctld.requests() == 1u);
        }
}

BOOST_AUTO_TEST_CASE(that_nothing_is_new_is_an_answer) {
    FakeController slurmctld({SLURM_NO_CHANGE_IN_DATA});
    const auto message = slurmctld.load();
    BOOST_TEST_REQUIRE(message.has_value());
    BOOST_TEST(*message == nullptr);
    BOOST_TEST(slurmctld.requests() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
