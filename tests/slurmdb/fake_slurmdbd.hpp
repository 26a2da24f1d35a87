// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a test needs in place of slurmdbd: a directory with a slurm.conf, and a listener that behaves badly.
#pragma once

#include <boost/test/unit_test.hpp>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

namespace qg::test {

/// A temporary directory, gone with its owner.
class TemporaryDirectory {
  public:
    TemporaryDirectory() {
        std::string name = (std::filesystem::temp_directory_path() / "qg-slurmdb-XXXXXX").string();
        BOOST_TEST_REQUIRE(mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    ~TemporaryDirectory() { std::filesystem::remove_all(path_); }

    /// Writes a file into it and returns its path.
    std::filesystem::path write(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / name) << text;
        return path_ / name;
    }

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

/// A TCP listener on a free loopback port that takes connections and hangs up, or stays silent.
class FakeSlurmdbd {
  public:
    enum class Manner { hangs_up, is_silent };

    explicit FakeSlurmdbd(Manner manner, std::uint16_t port = 0) : manner_(manner) {
        listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const int yes = 1;
        setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        auto* plain = reinterpret_cast<sockaddr*>(&address);
        BOOST_TEST_REQUIRE(bind(listener_, plain, sizeof address) == 0);
        BOOST_TEST_REQUIRE(listen(listener_, 8) == 0);
        socklen_t size = sizeof address;
        getsockname(listener_, plain, &size);
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this] {
            serves_.release();
            serve();
        });
        // A thread that starts holds locks of AddressSanitizer: a process forked then would wait for ever.
        serves_.acquire();
    }
    FakeSlurmdbd(const FakeSlurmdbd&) = delete;
    FakeSlurmdbd& operator=(const FakeSlurmdbd&) = delete;
    ~FakeSlurmdbd() {
        shutdown(listener_, SHUT_RDWR);
        thread_.join();
        close(listener_);
        for (const int connection : kept_)
            close(connection);
    }

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] int connections() const { return connections_; }

  private:
    void serve() {
        for (;;) {
            const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
            if (connection < 0) return;
            ++connections_;
            if (manner_ == Manner::hangs_up)
                close(connection);
            else
                kept_.push_back(connection);
        }
    }

    Manner manner_;
    int listener_ = -1;
    std::uint16_t port_ = 0;
    std::atomic<int> connections_{0};
    std::vector<int> kept_;
    std::binary_semaphore serves_{0};
    std::thread thread_;
};

} // namespace qg::test
