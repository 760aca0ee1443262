# How every target in the tree is compiled, and berth_library(), which turns a folder of the library into a target and
# the *_test.cc files beside its code into a test program.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

set(BERTH_SANITIZE "" CACHE STRING "Sanitizers to compile with, as for -fsanitize=")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

add_compile_options(-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wimplicit-fallthrough -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-restrict)  # GCC 12 sees overlaps in std::string's own operator+ (GCC bug 105651)
endif()
# Bugs are assertions that stay on in release builds: see berth/base/check.h. NDEBUG switches off the libraries' own.
if(BERTH_SANITIZE)
  add_compile_options(-fsanitize=${BERTH_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${BERTH_SANITIZE})
endif()

# Fuzz targets need clang's libFuzzer; the address-sanitizer preset builds them.
set(BERTH_FUZZ OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND BERTH_SANITIZE MATCHES "address")
  set(BERTH_FUZZ ON)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# berth_precompile(<target> <headers>)
# With clang, what almost every file includes is read once per target: a third of the time of a sanitized build. Sources
# include what they use all the same, as the other builds see: GCC 12 warns about system headers that it precompiled.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CCACHE_PROGRAM)
  # What ccache asks for where headers are precompiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${CCACHE_PROGRAM}")
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()
function(berth_precompile target)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    return()
  endif()
  target_precompile_headers(${target} PRIVATE
    <fmt/format.h> <algorithm> <cstdint> <expected> <functional> <map> <memory> <optional> <span> <string>
    <string_view> <utility> <variant> <vector> ${ARGN})
endfunction()

include(GoogleTest)
include(CTest)

# berth_tests(<target> SOURCES <files> DEPENDS <targets> LABEL <label> PRECOMPILE <headers>)
# A GoogleTest program whose every test is a ctest test of its own, so that `ctest -j` spreads them.
function(berth_tests target)
  cmake_parse_arguments(ARG "" "LABEL" "SOURCES;DEPENDS;PRECOMPILE" ${ARGN})
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE ${ARG_DEPENDS} GTest::gtest GTest::gtest_main)
  target_compile_definitions(${target} PRIVATE BERTH_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # What is tested is optimised; the tests themselves would only take longer to compile.
  target_compile_options(${target} PRIVATE -O0)
  berth_precompile(${target} <gtest/gtest.h> ${ARG_PRECOMPILE})
  gtest_discover_tests(${target} DISCOVERY_TIMEOUT 120 PROPERTIES LABELS "${ARG_LABEL}" TIMEOUT 600)
endfunction()

# berth_library(<folder> DEPENDS <public targets> LINK <private targets> PRECOMPILE <headers>)
# berth/<folder>/*.cc without *_test.cc become the static library berth_<folder>; the rest become <folder>_test.
function(berth_library folder)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK;PRECOMPILE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/berth/${folder}/*.cc")
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  if(NOT sources)
    return()
  endif()
  add_library(berth_${folder} STATIC ${sources})
  target_include_directories(berth_${folder} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(berth_${folder} PUBLIC ${ARG_DEPENDS} PRIVATE ${ARG_LINK})
  list(TRANSFORM ARG_PRECOMPILE PREPEND "${PROJECT_SOURCE_DIR}/")
  berth_precompile(berth_${folder} ${ARG_PRECOMPILE})
  if(tests)
    berth_tests(${folder}_test SOURCES ${tests} DEPENDS berth_${folder} LABEL unit PRECOMPILE ${ARG_PRECOMPILE})
  endif()
endfunction()
