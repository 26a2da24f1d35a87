// SPDX-License-Identifier: GPL-2.0-or-later
//
// For LD_PRELOAD: while the file that QG_HANGING_CLUSTER_DATA names exists, the plugin's thread that reads
// the cluster's data cannot connect to slurmctld. It waits until that file goes.
#include <cstdlib>
#include <string_view>

#include <dlfcn.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

bool is_the_thread() {
    char name[16] = "";
    return pthread_getname_np(pthread_self(), name, sizeof name) == 0 &&
           std::string_view(name) == "qosgate-cluster";
}

} // namespace

#pragma GCC visibility push(default)
extern "C" int connect(int socket, const sockaddr* address, socklen_t length) {
    const char* file = std::getenv("QG_HANGING_CLUSTER_DATA");
    while (file != nullptr && is_the_thread() && access(file, F_OK) == 0)
        usleep(20000);
    using Connect = int(int, const sockaddr*, socklen_t);
    return reinterpret_cast<Connect*>(dlsym(RTLD_NEXT, "connect"))(socket, address, length);
}
