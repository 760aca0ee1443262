# The library as its users link it: berth::queue, berth::scheduler, berth::sim and berth::daemon, each with all that
# it needs, and berth::berth for all of them. The names mean the same in this tree, where another project takes Berth
# in with add_subdirectory() or FetchContent, and with find_package(berth) (berth-config.cmake.in). docs/library.md
# describes them; PublicHeaders.cmake lists what may be included.

# The folder at the top of each component.
set(BERTH_COMPONENTS queue scheduler sim)
set(BERTH_FOLDER_OF_queue queue)
set(BERTH_FOLDER_OF_scheduler engine)
set(BERTH_FOLDER_OF_sim scenario)
if(BERTH_BUILD_DAEMON)
  list(APPEND BERTH_COMPONENTS daemon)
  set(BERTH_FOLDER_OF_daemon daemon)
endif()

add_library(berth_berth INTERFACE)
add_library(berth::berth ALIAS berth_berth)
foreach(component IN LISTS BERTH_COMPONENTS)
  add_library(berth::${component} ALIAS berth_${BERTH_FOLDER_OF_${component}})
  target_link_libraries(berth_berth INTERFACE berth_${BERTH_FOLDER_OF_${component}})
endforeach()
