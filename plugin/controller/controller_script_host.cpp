// SPDX-License-Identifier: GPL-2.0-or-later
#include "controller/controller_script_host.hpp"

#include "qosgate/base/text.hpp"

namespace qg::plugin {
namespace {

Error not_known_yet(std::string_view whom, const std::string& hang) {
    return {ErrorCode::unavailable,
            text::format("{} is not known yet; submit the job again in a moment{}{}{}",
                         text::printable(whom, 100), hang.empty() ? "" : " (", hang,
                         hang.empty() ? "" : ")")};
}

template <typename Record>
Result<std::shared_ptr<const Record>> to_result(const Known<Record>& found, std::string_view whom,
                                                const UserTable& users) {
    if (!found.is_known) return not_known_yet(whom, users.describe_hang());
    return found.record;
}

} // namespace

Result<std::shared_ptr<const model::DirectoryUser>> ControllerScriptHost::find_user(std::string_view name) {
    return to_result(users_.find_user(name), name, users_);
}

Result<std::shared_ptr<const model::DirectoryUser>> ControllerScriptHost::find_user(std::uint32_t id) {
    return to_result(users_.find_user(id), text::format("user id {}", id), users_);
}

Result<std::string> ControllerScriptHost::find_user_name(std::uint32_t id) {
    const auto found = users_.find_user(id);
    if (found.is_known) return found.record ? found.record->name : std::string();
    auto name = name_in_accounting(id);
    if (name && !name->empty()) return name;
    return not_known_yet(text::format("user id {}", id), users_.describe_hang());
}

Result<std::shared_ptr<const model::DirectoryGroup>> ControllerScriptHost::find_group(std::string_view name) {
    return to_result(users_.find_group(name), text::format("group {}", name), users_);
}

Error ControllerScriptHost::cluster_not_known(std::string_view what) const {
    return {ErrorCode::unavailable,
            text::format("the {} are not known yet, because slurmctld has just started; submit the job "
                         "again in a moment",
                         what)};
}

} // namespace qg::plugin
