// SPDX-License-Identifier: GPL-2.0-or-later
//
// Document: the top level of a spec, before templates and for_each are resolved.
#pragma once

#include "qosgate/spec/desired.hpp"
#include "qosgate/spec/read_context.hpp"
#include "qosgate/spec/yaml_tree.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace qg::spec {

/// A document of a spec. The nodes belong to the file that it names.
struct Document {
    std::string file;
    std::string owner = {};
    bool is_complete = false;
    NodePtr defaults = {};                                   ///< null pointer: none
    std::vector<std::pair<NodePtr, NodePtr>> templates = {}; ///< names and bodies
    std::vector<std::pair<NodePtr, NodePtr>> qos = {};       ///< names and bodies
    std::vector<Silenced> silenced = {};
    bool prunes = false;
};

/// Reads the top level. What is wrong is left out.
Document read_document(const NodePtr& root, const ReadContext& context);

} // namespace qg::spec
