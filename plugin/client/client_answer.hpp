// SPDX-License-Identifier: GPL-2.0-or-later
//
// ClientAnswer: what the judging process tells the client that waits for it, and how it is sent.
#pragma once

#include "qosgate/policy/client_host.hpp"
#include "qosgate/slurm/client_refusal.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qg::plugin {

using slurm::ClientLine;

struct ClientAnswer {
    /// Why the job was not judged by limits; empty: it was. Lines and options of rules for clients may be
    /// there all the same.
    std::string no_opinion;
    bool is_refused = false; ///< the client is to end
    std::vector<ClientLine> lines = {};
    std::vector<policy::OptionChange> options = {}; ///< what rules changed

    friend bool operator==(const ClientAnswer&, const ClientAnswer&) = default;
};

/// How much of an answer is sent, in lines and options.
inline constexpr std::size_t max_answer_parts = 1000;

/// As bytes: parts that each end with a NUL, and a last one that says that it is complete. A NUL inside a
/// text ends the text.
std::string to_bytes(const ClientAnswer& answer);

/// The last complete one of several answers; each takes the place of those before it. Empty if there is none:
/// the sender has ended early.
std::optional<ClientAnswer> parse_answer(std::string_view bytes);

} // namespace qg::plugin
