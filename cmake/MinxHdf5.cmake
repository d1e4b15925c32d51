# The HDF5 of the results files. It has to belong to the chosen MPI (cmake/MinxMpi.cmake) or to be a serial one: a program
# that holds two MPI libraries fails at its first collective call. Sets minx_HDF5_PARALLEL and minx_HDF5_VERSION, and
# defines the target app_hdf5.
#
# Method: places where an HDF5 may be are tried in order. Each is looked at in three ways: what its header says
# (H5_HAVE_PARALLEL, version), whether a program links with it, and which MPI library it is itself linked to. The first
# parallel one of this MPI is taken, else the first serial one; the reasons against the others are kept for the message.
# Places: HDF5_ROOT alone, where it is set; else what the C compiler finds by itself (Cray's wrappers), CMAKE_PREFIX_PATH,
# the HDF5 compilers on PATH, Debian's folder for this MPI, the MPI's own folders (Fedora), and the system's.
#
# CMake's FindHDF5 is not used: it takes the first HDF5 compiler on PATH, whatever its MPI, and that compiler fails in a
# folder whose name has a space.

set(minx_hdf5_program "#include <hdf5.h>
int main(void)
{
#ifdef H5_HAVE_PARALLEL
    return H5Pset_fapl_mpio(0, MPI_COMM_WORLD, MPI_INFO_NULL) < 0;
#else
    return H5open() < 0;
#endif
}")

# minx_hdf5_other_mpi_(result libraries): the MPI that these libraries are linked to, where it is not the chosen one. A static
# library has no list of what it needs, but code compiled for Open MPI uses its variables (ompi_...), and MPICH has none.
function(minx_hdf5_other_mpi_ result libraries)
  set(${result} "" PARENT_SCOPE)
  foreach(library IN LISTS libraries)
    if(library MATCHES "libhdf5\\.a$" AND CMAKE_NM AND NOT minx_MPI_FAMILY STREQUAL other)
      execute_process(COMMAND ${CMAKE_NM} -u "${library}" OUTPUT_VARIABLE undefined ERROR_QUIET)
      if(undefined MATCHES "ompi_mpi_" AND NOT minx_MPI_FAMILY STREQUAL openmpi)
        set(${result} "Open MPI" PARENT_SCOPE)
      elseif(undefined MATCHES "MPI_Comm_dup" AND NOT undefined MATCHES "ompi_mpi_" AND minx_MPI_FAMILY STREQUAL openmpi)
        set(${result} "another MPI than Open MPI" PARENT_SCOPE)
      endif()
      continue()
    endif()
    if(NOT library MATCHES "libhdf5[^/]*\\.so[.0-9]*$" OR NOT minx_MPI_SONAMES)
      continue()
    endif()
    minx_needed_mpi(needed "${library}")
    set(others ${needed})
    list(REMOVE_ITEM others ${minx_MPI_SONAMES})
    if(needed AND "${others}" STREQUAL "${needed}")
      list(GET needed 0 other)
      string(PREPEND other "the MPI library ")
      if(other MATCHES "^libmpich\\.so")
        string(APPEND other " of MPICH")
      elseif(other MATCHES "^libmpi\\.so\\.[2-9][0-9]")
        string(APPEND other " of Open MPI")
      endif()
      set(${result} "${other}" PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# minx_hdf5_try_(place includes libraries): looks at one HDF5. Keeps the first good one of each kind as
# minx_hdf5_{parallel,serial}_{includes,libraries,version}, and reasons against others in minx_hdf5_rejected.
function(minx_hdf5_try_ place includes libraries)
  minx_preprocess(text "${includes};${MPI_C_INCLUDE_DIRS}" "#include <H5public.h>
MINX H5_VERS_MAJOR.H5_VERS_MINOR.H5_VERS_RELEASE
#ifdef H5_HAVE_PARALLEL
MINX_KIND parallel
#else
MINX_KIND serial
#endif")
  if(NOT text MATCHES "MINX ([0-9. ]+)\n.*MINX_KIND ([a-z]+)")
    return()
  endif()
  string(REPLACE " " "" version "${CMAKE_MATCH_1}")
  set(kind ${CMAKE_MATCH_2})
  if(DEFINED minx_hdf5_${kind}_libraries)
    return()
  endif()
  set(reason "")
  if(kind STREQUAL parallel)
    minx_hdf5_other_mpi_(other "${libraries}")
    if(other)
      set(reason "parallel, but built with ${other}")
    endif()
  endif()
  if(NOT reason)
    string(SHA1 hash "${includes};${libraries};${MPI_C_COMPILER}")
    set(CMAKE_REQUIRED_INCLUDES ${includes})
    set(CMAKE_REQUIRED_LIBRARIES ${libraries} MPI::MPI_C)
    set(CMAKE_REQUIRED_QUIET TRUE)
    check_c_source_compiles("${minx_hdf5_program}" minx_HDF5_LINKS_${hash})
    if(NOT minx_HDF5_LINKS_${hash})
      set(reason "${kind}, but a program does not link with it and ${minx_MPI_NAME}")
    endif()
  endif()
  if(reason)
    if(libraries)
      set(rejected ${minx_hdf5_rejected} "${place}: ${reason}")
      list(REMOVE_DUPLICATES rejected)
      set(minx_hdf5_rejected "${rejected}" PARENT_SCOPE)
    endif()
    return()
  endif()
  foreach(name includes libraries version place)
    set(minx_hdf5_${kind}_${name} "${${name}}" PARENT_SCOPE)
  endforeach()
endfunction()

# minx_hdf5_try_folders_(includes library-folders [libraries]): the HDF5 whose header is in one of the folders, with the
# libraries that a compiler wrapper names where there is only a static one.
macro(minx_hdf5_try_folders_ includes folders)
  find_path(minx_hdf5_include hdf5.h PATHS ${includes} NO_DEFAULT_PATH NO_CACHE)
  find_library(minx_hdf5_library NAMES hdf5 PATHS ${folders} NO_DEFAULT_PATH NO_CACHE)
  if(minx_hdf5_include AND minx_hdf5_library)
    set(minx_hdf5_libraries "${minx_hdf5_library}")
    if(NOT minx_hdf5_library MATCHES "\\.so$" AND NOT "${ARGN}" STREQUAL "")
      set(minx_hdf5_libraries ${ARGN})
    endif()
    minx_hdf5_try_("${minx_hdf5_library}" "${minx_hdf5_include}" "${minx_hdf5_libraries}")
  endif()
  unset(minx_hdf5_include)
  unset(minx_hdf5_library)
endmacro()

# minx_hdf5_try_wrapper_(NAME...): the HDF5 of a compiler wrapper: the folders that it names, and those beside it
macro(minx_hdf5_try_wrapper_)
  find_program(minx_hdf5_wrapper NAMES ${ARGN} NO_CACHE)
  if(minx_hdf5_wrapper)
    execute_process(COMMAND "${minx_hdf5_wrapper}" -show OUTPUT_VARIABLE minx_hdf5_words ERROR_QUIET)
    separate_arguments(minx_hdf5_words UNIX_COMMAND "${minx_hdf5_words}")
    get_filename_component(minx_hdf5_prefix "${minx_hdf5_wrapper}" DIRECTORY)
    get_filename_component(minx_hdf5_prefix "${minx_hdf5_prefix}" DIRECTORY)
    foreach(letter I L)
      set(minx_hdf5_${letter} ${minx_hdf5_words})
      list(FILTER minx_hdf5_${letter} INCLUDE REGEX "^-${letter}.")
      list(TRANSFORM minx_hdf5_${letter} REPLACE "^-${letter}" "")
    endforeach()
    list(FILTER minx_hdf5_words INCLUDE REGEX "^(-L.*|-l.*|.*\\.a|.*\\.so)$")
    list(FILTER minx_hdf5_words EXCLUDE REGEX "hdf5_hl")
    if(NOT minx_hdf5_prefix STREQUAL /usr)
      list(APPEND minx_hdf5_I ${minx_hdf5_prefix}/include)
      list(APPEND minx_hdf5_L ${minx_hdf5_prefix}/lib ${minx_hdf5_prefix}/lib64)
    endif()
    minx_hdf5_try_folders_("${minx_hdf5_I}" "${minx_hdf5_L}" ${minx_hdf5_words})
  endif()
  unset(minx_hdf5_wrapper)
endmacro()

# minx_hdf5_try_prefix_(FOLDER): an installation, or the root of a system that has several, as Debian's /usr
macro(minx_hdf5_try_prefix_ prefix)
  set(minx_hdf5_I "${prefix}/include")
  set(minx_hdf5_L "${prefix}/lib" "${prefix}/lib64" "${prefix}/lib/${CMAKE_LIBRARY_ARCHITECTURE}")
  set(minx_hdf5_words "")
  foreach(name h5pcc h5cc) # what a static library needs besides itself
    if(NOT minx_hdf5_words AND EXISTS "${prefix}/bin/${name}" AND NOT "${prefix}" STREQUAL /usr)
      execute_process(COMMAND "${prefix}/bin/${name}" -show OUTPUT_VARIABLE minx_hdf5_words ERROR_QUIET)
      separate_arguments(minx_hdf5_words UNIX_COMMAND "${minx_hdf5_words}")
      list(FILTER minx_hdf5_words INCLUDE REGEX "^(-L.*|-l.*|.*\\.a|.*\\.so)$")
      list(FILTER minx_hdf5_words EXCLUDE REGEX "hdf5_hl")
    endif()
  endforeach()
  minx_hdf5_try_folders_("${minx_hdf5_I}" "${minx_hdf5_L}" ${minx_hdf5_words})
  foreach(kind ${minx_MPI_FAMILY} serial)
    minx_hdf5_try_folders_("${prefix}/include/hdf5/${kind}" "${prefix}/lib/${CMAKE_LIBRARY_ARCHITECTURE}/hdf5/${kind}")
  endforeach()
endmacro()

macro(minx_hdf5_try_everywhere_)
  minx_hdf5_try_("the C compiler's own" "" "")
  foreach(prefix IN LISTS CMAKE_PREFIX_PATH)
    minx_hdf5_try_prefix_("${prefix}")
  endforeach()
  minx_hdf5_try_wrapper_(h5pcc)
  minx_hdf5_try_wrapper_(h5pcc.${minx_MPI_FAMILY})
  minx_hdf5_try_wrapper_(h5cc)
  minx_hdf5_try_prefix_(/usr)
  set(minx_hdf5_L "")
  foreach(library IN LISTS MPI_C_LIBRARIES)
    get_filename_component(folder "${library}" DIRECTORY)
    list(APPEND minx_hdf5_L "${folder}")
  endforeach()
  minx_hdf5_try_folders_("${MPI_C_INCLUDE_DIRS}" "${minx_hdf5_L}")
  minx_hdf5_try_folders_("${CMAKE_C_IMPLICIT_INCLUDE_DIRECTORIES};/usr/local/include"
    "${CMAKE_C_IMPLICIT_LINK_DIRECTORIES};/usr/local/lib")
endmacro()

# What to do, for the messages. Debian's names; elsewhere they tell at least what is meant.
function(minx_hdf5_advice_ result)
  set(found "")
  foreach(line IN LISTS minx_hdf5_rejected)
    string(APPEND found "  ${line}\n")
  endforeach()
  foreach(kind parallel serial)
    if(DEFINED minx_hdf5_${kind}_libraries)
      string(APPEND found "  ${minx_hdf5_${kind}_place}: ${kind}\n")
    endif()
  endforeach()
  if(found)
    string(PREPEND found "Found:\n")
  endif()
  set(package openmpi)
  if(minx_MPI_FAMILY STREQUAL mpich)
    set(package mpich)
  endif()
  set(${result} "${found}One program cannot hold two MPI libraries. Do one of these:\n"
    "  install the parallel HDF5 of ${minx_MPI_NAME} (Debian, Ubuntu: apt-get install libhdf5-${package}-dev)\n"
    "  name the folder of one that was built with it: -DHDF5_ROOT=FOLDER\n"
    "  choose the MPI that your HDF5 was built with: -DMPI_C_COMPILER=mpicc.openmpi, for example\n"
    "  use a serial HDF5 (Debian, Ubuntu: apt-get install libhdf5-dev) with -DMINX_HDF5=serial\n")
  string(CONCAT text ${${result}})
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

include(CheckCSourceCompiles)
set(minx_hdf5_rejected "")
set(minx_hdf5_root "")
foreach(root "${HDF5_ROOT}" "$ENV{HDF5_ROOT}" "${HDF5_DIR}" "$ENV{HDF5_DIR}")
  if(root AND NOT minx_hdf5_root)
    set(minx_hdf5_root "${root}")
  endif()
endforeach()
if(minx_hdf5_root)
  minx_hdf5_try_prefix_("${minx_hdf5_root}")
else()
  minx_hdf5_try_everywhere_()
endif()

set(minx_hdf5_kinds parallel serial)
if(NOT MINX_HDF5 STREQUAL AUTO)
  set(minx_hdf5_kinds ${MINX_HDF5})
endif()
set(minx_hdf5_kind "")
foreach(kind IN LISTS minx_hdf5_kinds)
  if(NOT minx_hdf5_kind AND DEFINED minx_hdf5_${kind}_libraries)
    set(minx_hdf5_kind ${kind})
  endif()
endforeach()
if(NOT minx_hdf5_kind)
  minx_hdf5_advice_(minx_hdf5_advice)
  set(minx_hdf5_where "")
  if(minx_hdf5_root)
    set(minx_hdf5_where " in HDF5_ROOT (${minx_hdf5_root})")
  endif()
  list(JOIN minx_hdf5_kinds " or " minx_hdf5_kinds)
  message(FATAL_ERROR "There is no ${minx_hdf5_kinds} HDF5${minx_hdf5_where} that fits the MPI library, ${minx_MPI_NAME} "
    "(${MPI_C_COMPILER}).\n${minx_hdf5_advice}")
endif()
set(minx_HDF5_VERSION ${minx_hdf5_${minx_hdf5_kind}_version})
set(minx_HDF5_PARALLEL OFF)
set(minx_hdf5_how "serial: rank 0 writes")
if(minx_hdf5_kind STREQUAL parallel)
  set(minx_HDF5_PARALLEL ON)
  set(minx_hdf5_how "parallel: collective MPI-IO")
endif()
message(STATUS "HDF5: ${minx_HDF5_VERSION}, ${minx_hdf5_how} (${minx_hdf5_${minx_hdf5_kind}_place})")
if(MINX_HDF5 STREQUAL AUTO AND NOT minx_HDF5_PARALLEL AND minx_hdf5_rejected)
  minx_hdf5_advice_(minx_hdf5_advice)
  message(NOTICE "No parallel HDF5 fits ${minx_MPI_NAME}: the serial one is used.\n${minx_hdf5_advice}")
endif()

# HDF5 as found, with the headers it needs: for the apps' libraries and for tests that alter files behind their back.
add_library(app_hdf5 INTERFACE)
target_include_directories(app_hdf5 SYSTEM INTERFACE ${minx_hdf5_${minx_hdf5_kind}_includes})
target_link_libraries(app_hdf5 INTERFACE ${minx_hdf5_${minx_hdf5_kind}_libraries})
if(minx_HDF5_PARALLEL)
  target_link_libraries(app_hdf5 INTERFACE MPI::MPI_C) # hdf5.h includes mpi.h
endif()
