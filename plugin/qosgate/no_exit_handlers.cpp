// SPDX-License-Identifier: GPL-2.0-or-later
//
// slurmctld ends by exit() while its threads may still be inside this plugin, so no static object here may
// ever be destroyed. The compiler registers each one's destructor with __cxa_atexit(); within this shared
// object, and only here, that is the function below.

extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*) {
    return 0;
}
