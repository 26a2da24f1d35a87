// SPDX-License-Identifier: GPL-2.0-or-later
//
// Templates: bodies with names, which may build upon each other, across files.
#pragma once

#include "qosgate/spec/document.hpp"
#include "qosgate/spec/read_context.hpp"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace qg::spec {

/// A body and the file that it is in. Both live as long as the documents.
struct PlacedBody {
    const Node* node;
    const std::string* file;
};

/// The templates of all documents, which must outlive this. Threads: one.
class Templates {
  public:
    /// Reads the templates' names, and looks for cycles and unknown names.
    Templates(std::span<const Document> documents, ProblemList& problems);

    /// The bodies that the templates which a body names consist of, lowest first. A template that several
    /// others build upon is there one time, where it is needed first. Names that are unknown are left out.
    [[nodiscard]] std::vector<PlacedBody> bodies_for(const Node& body) const;

    /// Adds a problem for each name in the body's `template:` that is unknown.
    void check_names(const Node& body, const ReadContext& context) const;

    /// All of them, in no special order.
    [[nodiscard]] std::vector<PlacedBody> all() const;

  private:
    struct Template {
        PlacedBody body;
        Position position;
    };
    using Entry = std::map<std::string, Template, std::less<>>::const_iterator;

    [[nodiscard]] std::vector<std::string> names_near(const std::string& name) const;
    void check_cycles(ProblemList& problems) const;
    [[nodiscard]] std::vector<Entry> parents_of(const Node& body) const;

    std::map<std::string, Template, std::less<>> templates_;
};

} // namespace qg::spec
