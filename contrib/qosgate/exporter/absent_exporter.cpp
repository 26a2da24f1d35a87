// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate exporter, in a build without the library that it needs.
#include "common/command.hpp"

namespace qg::cli {

void add_exporter(Command app, Invocation& invocation) {
    Command command =
        app.add_subcommand("exporter", "Not in this build: it has no prometheus-cpp or libmicrohttpd");
    command.allow_extras();
    command.callback([&invocation] {
        invocation.action = [](Output&) -> Result<int> {
            return Error{ErrorCode::unsupported, "this build has no exporter: install prometheus-cpp-dev and "
                                                 "libmicrohttpd-dev, and build it with "
                                                 "-Dexporter=enabled"};
        };
    });
}

} // namespace qg::cli
