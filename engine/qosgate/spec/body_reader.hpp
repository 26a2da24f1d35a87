// SPDX-License-Identifier: GPL-2.0-or-later
//
// Bodies: what a QOS, a template or a file's defaults say. Bodies are laid upon each other: the file's
// defaults, then templates, then the QOS's own keys.
#pragma once

#include "qosgate/spec/desired.hpp"
#include "qosgate/spec/read_context.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace qg::spec {

/// The entries of a list, each one time, and where they stand.
template <typename Entry>
struct ReadList {
    std::vector<Entry> entries = {};
    Places<Entry> places = {};
};

/// Who may use a QOS, as far as one body says it.
struct AccessPart {
    std::optional<ReadList<std::string>> accounts = {};
    std::optional<ReadList<DesiredUser>> users = {};
    std::optional<ReadList<std::string>> default_for_accounts = {};
    std::optional<ReadList<DesiredUser>> default_for_users = {};
    std::optional<bool> is_complete = {};
    Position position = {};
    bool lacks_entries = false; ///< there are problems
};

/// What one body says, or several upon each other.
struct Body {
    std::map<const model::QosField*, DesiredField> fields = {};
    std::optional<AccessPart> access = {};
    std::optional<bool> is_complete = {};

    /// What `upper` says replaces what this body says. One TRES by an alias (GrpCPUs) replaces that TRES.
    void lay(Body upper);
};

/// What a body may have.
enum class BodyKind : std::uint8_t { qos, shared }; ///< shared: a template or defaults, without for_each

/// Reads a body; what is wrong is left out.
Body read_body(const Node& node, BodyKind kind, const ReadContext& context);

/// The names in `template:` of a body, without problems, which read_body() finds.
std::vector<NodePtr> template_names(const Node& body);

/// `access:` of a body.
AccessPart read_access(const Node& key, const Node& node, const ReadContext& context);

} // namespace qg::spec
