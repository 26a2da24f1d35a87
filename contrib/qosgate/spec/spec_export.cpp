// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate spec export: the cluster's QOSs as a spec.
#include "access/grant_ends.hpp"
#include "common/output.hpp"
#include "qos/qos_connection.hpp"
#include "spec/spec_files.hpp"

#include "qosgate/admin/apply.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/spec/export.hpp"

#include <algorithm>
#include <memory>

namespace qg::cli {
namespace {

struct ExportOptions : AccessOptions {
    spec::ExportOptions spec;
    std::string out;
};

Result<int> write_spec(const ExportOptions& options, Output& output) {
    const auto access = QosConnection::open(options, output);
    if (!access) return access.error();
    auto live = admin::read_live((*access)->connection());
    if (!live) return live.error();
    spec::ExportOptions wanted = options.spec;
    for (std::string& name : wanted.qos)
        name = text::lower(name);
    const auto temporary = take_out(known_grants(output), *live);
    const auto text = spec::export_spec(*live, wanted);
    if (!text) return text.error();
    if (live->hides_associations)
        output.warn(text::format("access is left out: {}", spec::hidden_associations));
    for (const TemporaryGrant& grant : temporary)
        if (wanted.qos.empty() || std::ranges::find(wanted.qos, grant.qos) != wanted.qos.end())
            output.note(text::format("{} is left out: it ends at {}", describe(grant),
                                     text::local_time(grant.until)));
    if (options.out.empty()) {
        output.text() << *text;
        return 0;
    }
    if (const auto done = write_output_file(options.out, *text, spec_mode); !done) return done.error();
    return 0;
}

} // namespace

void add_spec_export(Command spec, Invocation& invocation) {
    auto options = std::make_shared<ExportOptions>();
    Command command = add_command(
        spec, "export", "Write the cluster's QOSs as a spec",
        "Examples:\n"
        "  qosgate spec export --owner base -o qos.yaml\n"
        "  qosgate spec export night day --owner ops\n\n"
        "The spec plans to no change: applied, it only makes its owner that of the fields that are set and\n"
        "that nobody manages. What another owner manages is left out, with a comment. So is access that "
        "ends:\n"
        "what 'qosgate access list' shows here; each is listed.\n\n"
        "Exit status:\n"
        "  0   written\n"
        "  64  the command line is wrong\n"
        "  65  --owner cannot be the name of an owner\n"
        "  66  there is no such QOS\n"
        "  69  slurmdbd cannot be reached, or slurm.conf cannot be used; the file cannot be written\n"
        "  74  the output cannot be written\n"
        "  77  not permitted\n"
        "  78  Slurm has no slurmdbd");
    command.add_option("QOS", options->spec.qos, "Only these QOSs");
    command.add_option("--owner", options->spec.owner, "Who will manage them: a name for this set of files")
        .required()
        .option_text("NAME REQUIRED");
    command.add_option("-o,--out", options->out, "Write to this file; default: standard output")
        .option_text("FILE");
    command
        .add_option("--timeout", options->timeout_seconds, "Seconds to wait for each answer of slurmdbd (60)")
        .range(1, 3600)
        .type_name("SECONDS");
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return write_spec(*options, output); };
    });
}

} // namespace qg::cli
