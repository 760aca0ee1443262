# Run by `cmake --install`: copies the public headers (BERTH_PUBLIC_HEADERS, paths below BERTH_SOURCE_DIR) to
# BERTH_HEADER_DESTINATION and, marked as not public, the headers of Berth that they include in turn. The marked
# copies are made in BERTH_MARKED_DIR.
cmake_policy(VERSION 3.25)

set(mark "// Not public: public headers include it, and it may change in any release.\n")

set(todo ${BERTH_PUBLIC_HEADERS})
set(done "")
while(todo)
  list(POP_FRONT todo header)
  if(header IN_LIST done)
    continue()
  endif()
  list(APPEND done "${header}")
  if(NOT EXISTS "${BERTH_SOURCE_DIR}/${header}")
    message(FATAL_ERROR "${header} is not there; see cmake/PublicHeaders.cmake")
  endif()
  file(STRINGS "${BERTH_SOURCE_DIR}/${header}" includes REGEX "^#include \"berth/")
  list(TRANSFORM includes REPLACE "^#include \"([^\"]+)\".*" "\\1")
  list(APPEND todo ${includes})

  get_filename_component(folder "${header}" DIRECTORY)
  set(source "${BERTH_SOURCE_DIR}/${header}")
  if(NOT header IN_LIST BERTH_PUBLIC_HEADERS)
    file(READ "${source}" text)
    set(source "${BERTH_MARKED_DIR}/${header}")
    file(WRITE "${source}" "${mark}${text}")
  endif()
  file(INSTALL "${source}" DESTINATION "${BERTH_HEADER_DESTINATION}/${folder}")
endwhile()
