// SPDX-License-Identifier: GPL-2.0-or-later
//
// Problem: what is wrong in spec files, by themselves or on this cluster.
#pragma once

#include "qosgate/spec/desired.hpp"

#include <span>
#include <string>

namespace qg::spec {

/// What is wrong in a file, as people read it: "file:line:column: MaxWal: there is no such field; did you
/// mean MaxWall?"
struct Problem {
    Position position;
    std::string text;
    friend bool operator==(const Problem&, const Problem&) = default;
};

/// "site.yaml:3:5: MaxWal: …"; the text alone if the place is not known.
std::string to_text(const Problem& problem);

/// All problems, one per line, with the count at the end.
std::string to_text(std::span<const Problem> problems);

} // namespace qg::spec
