// What a statically linked program needs besides: glibc would load the modules that the machine's nsswitch.conf names
// for looking up hosts, and those belong to another glibc. The two that every machine has are part of the program.
#ifdef BERTH_STATIC
#include <netdb.h>
#include <nss.h>

namespace {

[[gnu::constructor]] void look_up_hosts_without_modules() {
  __nss_configure_lookup("hosts", "files dns");
}

}  // namespace
#endif
