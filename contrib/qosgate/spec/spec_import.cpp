// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate spec import: what sacctmgr wrote, as a spec.
#include "common/command.hpp"
#include "common/output.hpp"
#include "spec/spec_files.hpp"

#include "qosgate/base/read_file.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/spec/import.hpp"
#include "qosgate/spec/load_files.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace qg::cli {
namespace {

constexpr std::size_t max_import_file = std::size_t{64} << 20u;

struct ImportOptions {
    std::vector<std::string> files;
    std::string owner;
    std::string out;
};

Result<int> import(const ImportOptions& options, Output& output) {
    std::vector<spec::SourceText> sources;
    for (const std::string& file : options.files) {
        const auto content = read_file(file == "-" ? "/dev/stdin" : file, max_import_file);
        if (!content) return content.error();
        sources.push_back({file, *content});
    }
    const auto imported = spec::import_spec(sources, options.owner);
    if (!imported.problems.empty()) return Error{ErrorCode::invalid_input, spec::to_text(imported.problems)};
    for (const std::string& left_out : imported.left_out)
        output.warn("left out: " + text::printable(left_out, 1000));
    if (options.out.empty()) {
        output.text() << imported.spec;
        return 0;
    }
    const auto done = write_output_file(options.out, imported.spec, spec_mode);
    if (!done) return done.error();
    return 0;
}

} // namespace

void add_spec_import(Command spec, Invocation& invocation) {
    auto options = std::make_shared<ImportOptions>();
    Command command = add_command(
        spec, "import", "Make a spec of what sacctmgr wrote",
        "Examples:\n"
        "  sacctmgr -P show qos | qosgate spec import - --owner base -o qos.yaml\n"
        "  qosgate spec import hpc.cfg --owner base       a file of 'sacctmgr dump hpc file=hpc.cfg'\n"
        "  qosgate spec import qos.txt hpc.cfg --owner base\n\n"
        "A file is the output of 'sacctmgr -P show qos', with or without -n, which has no descriptions and\n"
        "no access; or one of 'sacctmgr dump', which shows who may use what and, since Slurm 25.05, has the\n"
        "QOSs, too. Several make one spec: with the dump of an earlier release, name the output of show qos\n"
        "as well. Settings that a spec cannot express are skipped and listed: fair shares, limits of\n"
        "accounts. Slurm is not asked; 'qosgate spec plan' then compares with a cluster.\n\n"
        "Exit status:\n"
        "  0   written\n"
        "  64  the command line is wrong\n"
        "  65  the file is wrong, or --owner cannot be the name of an owner\n"
        "  69  the file cannot be read or written\n"
        "  74  the output cannot be written");
    command.add_option("FILE", options->files, "The files; - is standard input").required();
    command.add_option("--owner", options->owner, "Who will manage them: a name for this set of files")
        .required()
        .option_text("NAME REQUIRED");
    command.add_option("-o,--out", options->out, "Write to this file; default: standard output")
        .option_text("FILE");
    command.callback([&invocation, options] {
        if (std::ranges::count(options->files, "-") > 1)
            refuse_arguments("-: standard input can be read one time");
        invocation.action = [options](Output& output) { return import(*options, output); };
    });
}

} // namespace qg::cli
