// How jemalloc behaves, which reads this variable when the program starts. Two arenas are enough for the threads that
// there are; by default it would make four for each core and leave free memory in all of them.
extern "C" {
extern const char* const malloc_conf;
const char* const malloc_conf = "narenas:2";
}
