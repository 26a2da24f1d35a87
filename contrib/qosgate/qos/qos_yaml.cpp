// SPDX-License-Identifier: GPL-2.0-or-later
#include "qos/qos_yaml.hpp"

#include "qosgate/admin/apply.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/slurmdb/association_store.hpp"
#include "qosgate/slurmdb/permission.hpp"
#include "qosgate/spec/export.hpp"

namespace qg::cli {

Option add_yaml_option(Command command, std::string& format) {
    const Option option =
        command.add_option("-o,--output", format, "yaml: as a spec without an owner (not with --json)")
            .check([](const std::string& word) {
                return word == "yaml"
                           ? std::string()
                           : text::format("there is no format '{}': -o takes yaml; for JSON, there is "
                                          "--json",
                                          text::printable(word));
            })
            .option_text("yaml");
    command.get_option("--json").excludes(option);
    return option;
}

Result<void> write_yaml(Output& output, QosConnection& connection,
                        const std::vector<model::QosRecord>& records, std::span<const slurmdb::StoredQos> all,
                        const YamlParts& parts) {
    std::vector<model::AssociationRecord> associations;
    if (parts.has_access) {
        const auto hides = slurmdb::hides_associations(connection.connection());
        if (!hides) return hides.error();
        if (*hides) return Error{ErrorCode::permission_denied, std::string(spec::hidden_associations)};
        auto read =
            slurmdb::AssociationStore(connection.connection(), admin::cluster_of(connection.connection()))
                .read_all(all);
        if (!read) return read.error();
        associations = *std::move(read);
    }
    output.text() << spec::write_records(records, parts.has_access ? &associations : nullptr, parts.left_out);
    return {};
}

} // namespace qg::cli
