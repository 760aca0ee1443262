# How every target in the tree is compiled, and berth_library(), which turns a folder of the library into a target and
# the *_test.cc files beside its code into a test program.
#
# All of it is for this folder and below: a project that takes Berth in keeps its own options.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

set(BERTH_SANITIZE "" CACHE STRING "Sanitizers to compile with, as for -fsanitize=")

if(PROJECT_IS_TOP_LEVEL)  # a warning of a compiler that Berth is not tested with must not stop another project's build
  add_compile_options(-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wimplicit-fallthrough -Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-restrict)  # GCC 12 sees overlaps in std::string's own operator+ (GCC bug 105651)
  endif()
endif()
# What -O3 adds makes the code larger, which stays in memory, and nothing measurably faster.
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
# Bugs are assertions that stay on in release builds: see berth/base/check.h. NDEBUG switches off the libraries' own.
if(BERTH_SANITIZE)
  add_compile_options(-fsanitize=${BERTH_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${BERTH_SANITIZE})
endif()

# Fuzz targets need clang's libFuzzer; the address-sanitizer preset builds them. Only the folders that they exercise
# tell the fuzzer which way they went: it makes everything slower.
set(BERTH_FUZZ OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND BERTH_SANITIZE MATCHES "address")
  set(BERTH_FUZZ ON)
endif()
set(BERTH_FUZZED_FOLDERS base api codec config autoscaler scenario client informer serve)

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # The linker puts what runs only at the start of a program in one place, as GNU ld does unasked: otherwise a page of
  # every file's code is read then, and stays.
  add_link_options(-fuse-ld=lld -Wl,-z,keep-text-section-prefix)
endif()
if(NOT BERTH_SANITIZE)
  add_compile_options(-ffunction-sections)
  add_link_options(-Wl,--gc-sections)  # leaves out what no one calls
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_link_options(-Wl,--icf=safe)  # keeps one of functions with the same code, as templates make them: 6 %
  endif()
endif()

# A program for release: no shared library but the kernel's, so that it runs on any distribution. `deploy/release/build`
# sets it, and names the folder with the libraries that Debian has only as shared ones.
option(BERTH_STATIC "Link the program statically" OFF)
set(BERTH_STATIC_LIBRARIES "" CACHE PATH "What deploy/release/static-libraries made")
if(BERTH_STATIC)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  set(CMAKE_SKIP_RPATH ON)  # glibc refuses to start a static program that has one
endif()

# berth_link_statically(<imported target>)
# Abseil comes as dozens of small shared libraries, of which a hash map needs thirty: each takes several pages of memory
# and a moment of every start. Links the static twins of the target and of what it needs, where they are installed.
function(berth_link_statically target)
  if(NOT TARGET ${target})
    return()
  endif()
  get_target_property(is_static ${target} BERTH_IS_STATIC)
  if(is_static)
    return()
  endif()
  set_target_properties(${target} PROPERTIES BERTH_IS_STATIC TRUE)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "SHARED_LIBRARY")
    get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)
    foreach(configuration IN LISTS configurations)
      get_target_property(shared ${target} IMPORTED_LOCATION_${configuration})
      string(REGEX REPLACE "\\.so[.0-9]*$" ".a" static "${shared}")
      get_filename_component(name "${static}" NAME)
      if(BERTH_STATIC AND EXISTS "${BERTH_STATIC_LIBRARIES}/lib/${name}")
        set(static "${BERTH_STATIC_LIBRARIES}/lib/${name}")
      endif()
      if(EXISTS "${static}")
        set_target_properties(${target} PROPERTIES IMPORTED_LOCATION_${configuration} "${static}")
      endif()
    endforeach()
  endif()
  get_target_property(needed ${target} INTERFACE_LINK_LIBRARIES)
  foreach(each IN LISTS needed)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" each "${each}")
    berth_link_statically("${each}")
  endforeach()
endfunction()

# berth_precompile(<target> <headers>)
# With clang, what almost every file includes is read once per target, which halves the time of a build. Sources include
# what they use all the same: tests/tidy looks, and the gcc preset, where nothing is precompiled (GCC 12 warns about
# system headers that it precompiled), would not compile otherwise.
function(berth_precompile target)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    return()
  endif()
  target_precompile_headers(${target} PRIVATE
    <fmt/format.h> <algorithm> <cstdint> <expected> <functional> <map> <memory> <optional> <span> <string>
    <string_view> <utility> <variant> <vector> ${ARGN})
endfunction()
# berth_precompiled_as(<target> <other>): with what the other target, compiled in the same way, has precompiled.
function(berth_precompiled_as target other)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_precompile_headers(${target} REUSE_FROM ${other})
  endif()
endfunction()

# berth_fast_allocator(<target>)
# A scheduler allocates and frees small objects by the million; jemalloc makes a placement cost a third less than
# glibc's malloc does, and gives memory back. The sanitizers bring their own. The static library is preferred: only what
# is used of it takes memory then.
if(BERTH_BUILD_PROGRAM OR BERTH_BUILD_BENCHMARKS)
  find_library(BERTH_JEMALLOC NAMES libjemalloc_pic.a jemalloc REQUIRED)
endif()
function(berth_fast_allocator target)
  if(NOT BERTH_SANITIZE)
    target_link_libraries(${target} PRIVATE ${BERTH_JEMALLOC})
  endif()
endfunction()

if(BERTH_BUILD_TESTS)
  include(GoogleTest)
  include(CTest)
endif()

# berth_tests(<target> SOURCES <files> DEPENDS <targets> LABEL <label> PRECOMPILE <headers> PRECOMPILED_AS <target>)
# A GoogleTest program whose every test is a ctest test of its own, so that `ctest -j` spreads them. With a sanitizer,
# which takes its time to start, the program is one test.
function(berth_tests target)
  cmake_parse_arguments(ARG "" "LABEL;PRECOMPILED_AS" "SOURCES;DEPENDS;PRECOMPILE" ${ARGN})
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE ${ARG_DEPENDS} GTest::gtest GTest::gtest_main)
  target_compile_definitions(${target} PRIVATE BERTH_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # What is tested is optimised; the tests themselves would only take longer to compile.
  target_compile_options(${target} PRIVATE -O0)
  if(ARG_PRECOMPILED_AS)
    berth_precompiled_as(${target} ${ARG_PRECOMPILED_AS})
  else()
    berth_precompile(${target} <gtest/gtest.h> ${ARG_PRECOMPILE})
  endif()
  if(BERTH_SANITIZE)
    add_test(NAME ${target} COMMAND ${target} --gtest_brief=1)
    set_tests_properties(${target} PROPERTIES LABELS "${ARG_LABEL}" TIMEOUT 900)
  else()
    gtest_discover_tests(${target} DISCOVERY_TIMEOUT 120 PROPERTIES LABELS "${ARG_LABEL}" TIMEOUT 600)
  endif()
endfunction()

# berth_library(<folder> DEPENDS <public targets> LINK <private targets> PRECOMPILE <headers> PRECOMPILED_AS <folder>)
# berth/<folder>/*.cc without *_test.cc become the static library berth_<folder>; the rest become <folder>_test.
function(berth_library folder)
  cmake_parse_arguments(ARG "" "PRECOMPILED_AS" "DEPENDS;LINK;PRECOMPILE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/berth/${folder}/*.cc")
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  if(NOT sources)
    return()
  endif()
  add_library(berth_${folder} STATIC ${sources})
  target_include_directories(berth_${folder} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_compile_features(berth_${folder} PUBLIC cxx_std_23)
  if(NOT PROJECT_IS_TOP_LEVEL)
    set_target_properties(berth_${folder} PROPERTIES EXCLUDE_FROM_ALL TRUE)  # built if something links it
  endif()
  target_link_libraries(berth_${folder} PUBLIC ${ARG_DEPENDS} PRIVATE ${ARG_LINK})
  set(is_fuzzed OFF)
  if(BERTH_FUZZ AND folder IN_LIST BERTH_FUZZED_FOLDERS)
    set(is_fuzzed ON)
    target_compile_options(berth_${folder} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  list(TRANSFORM ARG_PRECOMPILE PREPEND "${PROJECT_SOURCE_DIR}/")
  # What another folder has precompiled fits only what is compiled in the same way.
  if(ARG_PRECOMPILED_AS AND NOT is_fuzzed)
    berth_precompiled_as(berth_${folder} berth_${ARG_PRECOMPILED_AS})
  else()
    berth_precompile(berth_${folder} ${ARG_PRECOMPILE})
  endif()
  if(ARG_PRECOMPILED_AS)
    set(tests_precompile PRECOMPILED_AS ${ARG_PRECOMPILED_AS}_test)
  else()
    set(tests_precompile PRECOMPILE ${ARG_PRECOMPILE})
  endif()
  if(tests AND BERTH_BUILD_TESTS)
    berth_tests(${folder}_test SOURCES ${tests} DEPENDS berth_${folder} LABEL unit ${tests_precompile})
  endif()
endfunction()
