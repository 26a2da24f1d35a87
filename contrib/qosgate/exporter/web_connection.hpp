// SPDX-License-Identifier: GPL-2.0-or-later
//
// WebConnection: one request and its answer, on a socket that never blocks. Each step has a deadline, and so
// has the connection, whatever the client sends.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace qg::cli {

/// What is sent.
struct WebResponse {
    std::string head;
    std::shared_ptr<const std::string> body = nullptr; ///< null: none
};

/// Threads: not thread-safe.
class WebConnection {
  public:
    using Clock = std::chrono::steady_clock;
    /// The answer to the head of a request; `head` is empty if it was too large.
    using Responder = std::function<WebResponse(std::string_view head)>;

    static constexpr std::size_t max_head_bytes = 8192; ///< with the empty line
    /// For the head of the request, for the request and its answer, and for the client to close.
    static constexpr std::chrono::milliseconds head_time{1000};
    static constexpr std::chrono::milliseconds total_time{10'000};
    static constexpr std::chrono::milliseconds closing_time{1000};

    /// Ownership: takes the descriptor, which must not block. `peer` names the client's address.
    WebConnection(int descriptor, std::string peer, Clock::time_point now)
        : descriptor_(descriptor), peer_(std::move(peer)), deadline_(now + head_time),
          end_(now + total_time) {}
    WebConnection(const WebConnection&) = delete;
    WebConnection& operator=(const WebConnection&) = delete;
    ~WebConnection();

    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
    [[nodiscard]] const std::string& peer() const noexcept { return peer_; }
    [[nodiscard]] Clock::time_point deadline() const noexcept { return deadline_; }
    /// Whether an answer is on its way; if not, closing it takes nothing from the client but its place.
    [[nodiscard]] bool is_sending() const noexcept { return step_ == Step::sending; }
    /// What to wait for, as poll() has it.
    [[nodiscard]] short events() const noexcept;

    /// Goes on as far as the socket allows. Returns whether there is more to do. What follows the head is
    /// never an input: the client may send a body, but not make it wait.
    bool advance(const Responder& respond, Clock::time_point now);

  private:
    enum class Step : std::uint8_t { reading, sending, closing };

    bool read(const Responder& respond);
    bool send(Clock::time_point now);
    bool close();

    int descriptor_;
    std::string peer_;
    Clock::time_point deadline_; ///< of this step
    Clock::time_point end_;
    Step step_ = Step::reading;
    std::string input_;
    WebResponse response_;
    std::size_t sent_ = 0;
    std::size_t discarded_ = 0;
};

} // namespace qg::cli
