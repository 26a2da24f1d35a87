// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/listed_field.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <vector>

namespace qg::policy::compat {

model::ScriptValue read_listed_field(const model::ScriptRecords& records, std::size_t index,
                                     std::string_view name, std::string_view noun,
                                     ErrorText& error) noexcept {
    using Kind = model::ScriptValue::Kind;
    const model::ScriptValue value = records.get(index, name);
    if (value.kind != Kind::nothing && value.kind != Kind::unknown) return value;
    const auto is_in = [name](const std::vector<std::string_view>& names) {
        return std::ranges::find(names, name) != names.end();
    };
    report_into(error, [&] {
        if (value.kind == Kind::unknown)
            error.assign(text::format("{} of this {} cannot be read in the state that it has", name, noun));
        else if (is_in(records.unreadable))
            error.assign(text::format("{} of a {} cannot be read", name, noun));
        else if (is_in(records.unread))
            error.assign(text::format("{} of a {} was not read: write its name in the script, as a literal",
                                      name, noun));
    });
    return value;
}

} // namespace qg::policy::compat
