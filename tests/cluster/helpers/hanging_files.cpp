// SPDX-License-Identifier: GPL-2.0-or-later
//
// For LD_PRELOAD: a file "x.lua" cannot be opened while a file "x.lua.hangs" lies beside it, as on a file
// server that is gone. Opening waits until that file goes.
#include <string>

#include <dlfcn.h>
#include <sys/types.h>
#include <unistd.h>

namespace {

void wait_while_hanging(const char* path) {
    const std::string name(path);
    if (!name.ends_with(".lua")) return;
    while (access((name + ".hangs").c_str(), F_OK) == 0)
        usleep(20000);
}

template <typename Function>
Function* find_next(const char* symbol) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, symbol));
}

int open_after_waiting(const char* symbol, const char* path, int flags, mode_t mode) {
    wait_while_hanging(path);
    return find_next<int(const char*, int, ...)>(symbol)(path, flags, mode);
}

int open_fortified(const char* symbol, const char* path, int flags) {
    wait_while_hanging(path);
    return find_next<int(const char*, int)>(symbol)(path, flags);
}

} // namespace

// The names that a program calls, by how it was compiled. A mode that was not given is not looked at.
#pragma GCC visibility push(default)
extern "C" {

int open(const char* path, int flags, mode_t mode) {
    return open_after_waiting("open", path, flags, mode);
}
int open64(const char* path, int flags, mode_t mode) {
    return open_after_waiting("open64", path, flags, mode);
}
int __open_2(const char* path, int flags) {
    return open_fortified("__open_2", path, flags);
}
int __open64_2(const char* path, int flags) {
    return open_fortified("__open64_2", path, flags);
}
}
