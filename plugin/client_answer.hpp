// SPDX-License-Identifier: GPL-2.0-or-later
//
// ClientAnswer: what the judging process tells the client that waits for it, and how it is sent.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qg::plugin {

/// Options by their long names, with their new values; no value: the default.
using OptionChanges = std::vector<std::pair<std::string, std::optional<std::string>>>;

struct ClientAnswer {
    /// Why the job was not judged; empty: it was.
    std::string no_opinion;
    bool is_refused = false;  ///< the client is to end
    bool is_bad_news = false; ///< slurmctld would refuse the job: the lines are errors
    std::vector<std::string> lines = {};
    OptionChanges options = {}; ///< what rules changed

    friend bool operator==(const ClientAnswer&, const ClientAnswer&) = default;
};

/// How much of an answer is sent, in lines and options.
inline constexpr std::size_t max_answer_parts = 1000;

/// As bytes: parts that each end with a NUL, and a last one that says that it is complete. A NUL inside a
/// text ends the text.
std::string to_bytes(const ClientAnswer& answer);

/// Empty if the bytes are no complete answer: the sender has ended early.
std::optional<ClientAnswer> parse_answer(std::string_view bytes);

} // namespace qg::plugin
