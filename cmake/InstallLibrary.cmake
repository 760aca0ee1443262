# `cmake --install --component development`: the library for other projects. One archive, libberth.a, holds the code of
# all components; a linker takes of it what a program uses, so what a component needs besides (fmt, Abseil, ...) is a
# matter of its target in berth-config.cmake and of its .pc file.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(PublicHeaders)

# The folder's target and those that it links, in turn, appended to the variable named `into`.
function(berth_collect_folders target into)
  set(found ${${into}})
  if(target IN_LIST found)
    return()
  endif()
  list(APPEND found ${target})
  get_target_property(linked ${target} INTERFACE_LINK_LIBRARIES)
  list(FILTER linked INCLUDE REGEX "^berth_")
  foreach(each IN LISTS linked)
    berth_collect_folders(${each} found)
  endforeach()
  set(${into} ${found} PARENT_SCOPE)
endfunction()

set(folders "")
set(headers "")
foreach(component IN LISTS BERTH_COMPONENTS)
  berth_collect_folders(berth_${BERTH_FOLDER_OF_${component}} folders)
  list(APPEND headers ${BERTH_PUBLIC_HEADERS_${component}})
endforeach()
list(TRANSFORM folders REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
add_library(berth_archive STATIC ${objects})
set_target_properties(berth_archive PROPERTIES OUTPUT_NAME berth LINKER_LANGUAGE CXX)
install(TARGETS berth_archive ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)

install(CODE "
  set(BERTH_SOURCE_DIR \"${PROJECT_SOURCE_DIR}\")
  set(BERTH_MARKED_DIR \"${PROJECT_BINARY_DIR}/marked-headers\")
  set(BERTH_PUBLIC_HEADERS \"${headers}\")
  set(BERTH_HEADER_DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")
  include(\"${CMAKE_CURRENT_LIST_DIR}/InstallHeaders.cmake\")" COMPONENT development)

# find_package(berth). Until 1.0, a minor version may change what is public. CMake's versions have no suffix.
string(REGEX REPLACE "-.*" "" version "${BERTH_RELEASE_VERSION}")
set(config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/berth")
configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/berth-config.cmake.in" "${PROJECT_BINARY_DIR}/berth-config.cmake"
  INSTALL_DESTINATION "${config_dir}" PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/berth-config-version.cmake"
  VERSION "${version}" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/berth-config.cmake" "${PROJECT_BINARY_DIR}/berth-config-version.cmake"
  DESTINATION "${config_dir}" COMPONENT development)

# pkg-config: berth-queue, berth-scheduler, berth-sim, berth-daemon, and berth, which is what find_package(berth) finds
# if it is not asked for components.
file(RELATIVE_PATH prefix_from_pc "/usr/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/usr")
function(berth_pc name requires libs)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/berth.pc.in" "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
    COMPONENT development)
endfunction()
set(archive "-L\${libdir} -lberth")
berth_pc(berth-queue "absl_flat_hash_map absl_flat_hash_set fmt" "${archive} -pthread")
berth_pc(berth-scheduler "berth-queue simdjson zlib libzstd" "${archive}")
berth_pc(berth-sim "berth-scheduler" "${archive}")
set(curl "")
if(BERTH_STATIC)
  set(curl " libcurl")  # a static program cannot load it
endif()
berth_pc(berth-daemon "berth-scheduler libnghttp2 openssl${curl}" "${archive} -ldl")
berth_pc(berth "berth-sim" "${archive}")
