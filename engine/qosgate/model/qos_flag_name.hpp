// SPDX-License-Identifier: GPL-2.0-or-later
//
// Flags of QOS records by name, checked by the compiler.
#pragma once

#include "qosgate/model/qos_flags.hpp"
#include "qosgate/model/qos_record.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace qg::model {

/// A name of qos_flag_facts; another one does not compile.
struct QosFlagName {
    std::string_view text;

    consteval QosFlagName(const char* name) : text(name) { // NOLINT(google-explicit-constructor)
        if (std::ranges::find(qos_flag_facts, text, &QosFlagFacts::name) == qos_flag_facts.end())
            throw "no flag of a QOS has this name";
    }
};

inline bool has_flag(const QosRecord& qos, QosFlagName flag) {
    return qos.flags.contains(std::string(flag.text));
}

} // namespace qg::model
