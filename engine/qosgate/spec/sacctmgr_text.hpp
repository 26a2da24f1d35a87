// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lines that sacctmgr writes: those of its dump files, and the tables of `sacctmgr -P show`.
#pragma once

#include "qosgate/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace qg::spec {

/// "Key='value'" of a line.
struct DumpOption {
    std::string key;
    std::string value;
    friend bool operator==(const DumpOption&, const DumpOption&) = default;
};

/// "QOS - 'night':Priority=10".
struct DumpLine {
    std::string object; ///< "QOS"
    std::string name;   ///< "night"
    std::vector<DumpOption> options;
    friend bool operator==(const DumpLine&, const DumpLine&) = default;
};

/// Reads a line as sacctmgr does: a colon ends an option unless it stands between two ' or two ".
/// Errors: invalid_input: no " - ", a quote that is not closed, an option without '='.
Result<DumpLine> parse_dump_line(std::string_view line);

/// Whether a text is a dump file: its first line that is no comment is "OBJECT - …".
bool is_dump(std::string_view text);

/// The columns that `sacctmgr -nP show qos` has, if none are asked for: by the number of cells. Empty: no
/// release has that many.
std::vector<std::string_view> default_columns(std::size_t count);

} // namespace qg::spec
