// SPDX-License-Identifier: GPL-2.0-or-later
//
// ReadContext: what every reader of a part of a spec needs.
#pragma once

#include "qosgate/model/tres.hpp"
#include "qosgate/spec/placeholders.hpp"
#include "qosgate/spec/problem_list.hpp"
#include "qosgate/spec/yaml_tree.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace qg::spec {

/// Pointers, not owned; `bindings` and `catalogue` may be null.
struct ReadContext {
    const std::string* file;
    ProblemList* problems;
    const model::TresCatalogue* catalogue = nullptr;
    Placeholders placeholders = Placeholders::absent;
    const Bindings* bindings = nullptr;

    [[nodiscard]] Position at(const Node& node) const { return {*file, node.line, node.column}; }

    /// Adds a problem; `key` is a user's text.
    void wrong(const Node& node, std::string_view key, std::string_view what) const {
        problems->add(at(node), key, what);
    }

    /// A scalar's text with its placeholders replaced. Empty: it is no scalar, a placeholder is unknown (both
    /// are problems), or it is skipped.
    [[nodiscard]] std::optional<std::string> text(const Node& node, std::string_view key) const;

    /// The same for a text that may contain braces: they mean nothing without for_each.
    [[nodiscard]] std::optional<std::string> free_text(const Node& node, std::string_view key) const;

    /// A name of Slurm (account, user, partition): as text(), and no blanks, commas or control characters.
    [[nodiscard]] std::optional<std::string> name(const Node& node, std::string_view key) const;

    /// true or false. Empty: a problem.
    [[nodiscard]] std::optional<bool> boolean(const Node& node, std::string_view key) const;

    /// A problem: `key` is none of `allowed`. Nothing if the problems are full.
    void unknown_key(const Node& key, std::span<const std::string> allowed) const;
};

/// Whether the value clears: null, "unset" or "-1", also in quotes, which JSON always has.
bool means_unset(const Node& node);

} // namespace qg::spec
