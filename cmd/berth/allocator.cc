// How jemalloc behaves, which reads this variable when the program starts (MALLOC_CONF in the environment overrides
// it). One arena: by default it would make four for each core and leave free memory in all of them. Threads allocate
// from caches of their own, so the three that there are hardly ever meet there.
extern "C" {
extern const char* const malloc_conf;
const char* const malloc_conf = "narenas:1";
}
