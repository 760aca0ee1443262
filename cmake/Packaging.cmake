# `cmake --install --component program`: binary, manual page, completion, unit file and default configuration, which
# are in deploy/debian. And two Debian packages, made by `cpack` in the build folder: berth with the program, and
# libberth-dev with the library that InstallLibrary.cmake installs.

include(GNUInstallDirs)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(debian "${PROJECT_SOURCE_DIR}/deploy/debian")
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)

# The manual page is what the program says itself. Not part of `all`: only who packages needs it.
set(man_page "${PROJECT_BINARY_DIR}/berth.1")
add_custom_command(OUTPUT "${man_page}"
  COMMAND Python3::Interpreter "${debian}/make_man.py" $<TARGET_FILE:berth> ${BERTH_RELEASE_VERSION} > "${man_page}"
  DEPENDS berth "${debian}/make_man.py" VERBATIM)
add_custom_target(man DEPENDS "${man_page}")

install(TARGETS berth RUNTIME DESTINATION bin)
# `kubectl berth`: kubectl runs programs of such names as its subcommands, and completes them with the second.
file(CREATE_LINK berth "${PROJECT_BINARY_DIR}/kubectl-berth" SYMBOLIC)
install(FILES "${PROJECT_BINARY_DIR}/kubectl-berth" DESTINATION bin)
install(PROGRAMS "${PROJECT_SOURCE_DIR}/deploy/kubectl/kubectl_complete-berth" DESTINATION bin)
# Made here as well, for those who install without having built `man`.
install(CODE "execute_process(
  COMMAND \"${Python3_EXECUTABLE}\" \"${debian}/make_man.py\" \"$<TARGET_FILE:berth>\" ${BERTH_RELEASE_VERSION}
  OUTPUT_FILE \"${man_page}\" COMMAND_ERROR_IS_FATAL ANY)")
install(FILES "${man_page}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
foreach(shell bash zsh fish)
  install(CODE "execute_process(
    COMMAND \"$<TARGET_FILE:berth>\" completion ${shell}
    OUTPUT_FILE \"${PROJECT_BINARY_DIR}/completion.${shell}\" COMMAND_ERROR_IS_FATAL ANY)")
endforeach()
install(FILES "${PROJECT_BINARY_DIR}/completion.bash" DESTINATION share/bash-completion/completions RENAME berth)
install(FILES "${PROJECT_BINARY_DIR}/completion.zsh" DESTINATION share/zsh/vendor-completions RENAME _berth)
install(FILES "${PROJECT_BINARY_DIR}/completion.fish" DESTINATION share/fish/vendor_completions.d RENAME berth.fish)
install(FILES "${debian}/berth.service" DESTINATION lib/systemd/system)
install(FILES "${debian}/berth.sysusers" DESTINATION lib/sysusers.d RENAME berth.conf)
install(FILES "${debian}/config.yaml" DESTINATION /etc/berth)
install(FILES "${debian}/default" DESTINATION /etc/default RENAME berth)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION share/doc/berth RENAME copyright)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION share/doc/libberth-dev RENAME copyright
  COMPONENT development)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/deploy/" DESTINATION share/doc/berth/deploy
  FILES_MATCHING PATTERN "*.yaml" PATTERN "debian" EXCLUDE PATTERN "helm" EXCLUDE PATTERN "image" EXCLUDE
  PATTERN "krew" EXCLUDE PATTERN "kubectl" EXCLUDE)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME berth)
# For Debian 1.2.0~rc.1 comes before 1.2.0.
string(REPLACE "-" "~" CPACK_PACKAGE_VERSION "${BERTH_RELEASE_VERSION}")
set(CPACK_PACKAGE_CONTACT "The Berth authors <berth@localhost>")
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_SET_DESTDIR ON)  # some files are outside the prefix
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME berth)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "Kubernetes scheduler with kube-scheduler's behaviour, and its simulator")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION admin)
if(BERTH_STATIC)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "ca-certificates")
else()
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "ca-certificates, libcurl4")  # loaded by name: berth/client/curl_library.h
endif()
set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_EXTRA "${debian}/postinst" "${debian}/prerm" "${debian}/conffiles")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libberth-dev)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Kubernetes scheduler as a C++ library: headers and static library")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libabsl-dev, libfmt-dev, libsimdjson-dev, libzstd-dev, zlib1g-dev")
# For the component `daemon` only.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "libcurl4-openssl-dev, libnghttp2-dev, libssl-dev")
include(CPack)
