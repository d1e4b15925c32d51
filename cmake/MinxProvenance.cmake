# minx_provenance(target flags): gives `target` the header minx_provenance.h with what this build is made of: version, git
# commit, whether the tree has uncommitted changes, compiler and flags. It is looked at anew at each build, and written
# only when it changed. Without git, or outside a repository: "unknown".
#
# Included, this file defines the function; run with cmake -P, it writes the header.

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  set(commit unknown)
  set(dirty unknown)
  if(GIT AND EXISTS "${SOURCE}/.git")
    execute_process(COMMAND "${GIT}" rev-parse HEAD WORKING_DIRECTORY "${SOURCE}"
      OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    # without optional locks: a build never disturbs a git command that runs beside it
    execute_process(COMMAND "${GIT}" --no-optional-locks status --porcelain --untracked-files=no
      WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE changes ERROR_QUIET RESULT_VARIABLE status_failed)
    if(NOT failed)
      set(commit "${found}")
      if(NOT status_failed)
        string(COMPARE NOTEQUAL "${changes}" "" is_dirty)
        set(dirty no)
        if(is_dirty)
          set(dirty yes)
        endif()
      endif()
    endif()
  endif()
  foreach(name COMPILER FLAGS)
    string(REPLACE "\\" "\\\\" ${name} "${${name}}")
    string(REPLACE "\"" "\\\"" ${name} "${${name}}")
  endforeach()
  set(text "/* Generated at each build. */\n#pragma once\n")
  string(APPEND text "#define MINX_PROVENANCE_VERSION \"${VERSION}\"\n#define MINX_PROVENANCE_COMMIT \"${commit}\"\n")
  string(APPEND text "#define MINX_PROVENANCE_DIRTY \"${dirty}\"\n#define MINX_PROVENANCE_COMPILER \"${COMPILER}\"\n")
  string(APPEND text "#define MINX_PROVENANCE_FLAGS \"${FLAGS}\"\n")
  set(old "")
  if(EXISTS "${HEADER}")
    file(READ "${HEADER}" old)
  endif()
  if(NOT old STREQUAL text)
    file(WRITE "${HEADER}" "${text}")
  endif()
  return()
endif()

set(minx_PROVENANCE_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")

function(minx_provenance target flags)
  find_package(Git QUIET)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/provenance")
  add_custom_target(${target}_provenance
    COMMAND "${CMAKE_COMMAND}" "-DHEADER=${folder}/minx_provenance.h" "-DSOURCE=${PROJECT_SOURCE_DIR}"
      "-DGIT=${GIT_EXECUTABLE}" "-DVERSION=${PROJECT_VERSION}"
      "-DCOMPILER=${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}" "-DFLAGS=${flags}" -P "${minx_PROVENANCE_SCRIPT}"
    BYPRODUCTS "${folder}/minx_provenance.h"
    COMMENT "Looking at the state of the sources" VERBATIM)
  add_dependencies(${target} ${target}_provenance)
  target_include_directories(${target} PRIVATE "${folder}")
endfunction()
