// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/listening.hpp"

#include "qosgate/base/open_directory.hpp"
#include "qosgate/base/text.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <optional>

namespace qg::plugin {
namespace {

bool listens(int descriptor) noexcept {
    int accepts = 0;
    socklen_t size = sizeof accepts;
    return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &size) == 0 && accepts != 0;
}

std::optional<std::uint16_t> port_of(int descriptor) noexcept {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) != 0) return std::nullopt;
    if (address.ss_family == AF_INET) return ntohs(reinterpret_cast<sockaddr_in&>(address).sin_port);
    if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<sockaddr_in6&>(address).sin6_port);
    return std::nullopt;
}

} // namespace

bool listens_on(std::uint32_t first, std::uint32_t count) noexcept {
    const OpenDirectory open(opendir("/proc/self/fd"));
    if (open == nullptr) return false;
    while (const dirent* entry = readdir(open.get())) {
        const auto number = text::parse_unsigned(entry->d_name);
        const int descriptor = number ? static_cast<int>(*number) : -1;
        if (!listens(descriptor)) continue;
        const auto port = port_of(descriptor);
        if (port && *port >= first && *port - first < count) return true;
    }
    return false;
}

} // namespace qg::plugin
