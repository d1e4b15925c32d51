# The MPI library of the apps, and how its programs are started. Sets:
#   minx_MPI_NAME          its name and version, for messages: "MPICH 4.0.2"
#   minx_MPI_FAMILY        openmpi, mpich (and what is made from it), intel, or other
#   minx_MPI_SONAMES       the shared libraries of MPI that a program is linked to: libmpich.so.12
#   minx_MPIEXEC           the launcher, with flags that allow more ranks than cores and bind no rank to a core
#   minx_MPI_ENVIRONMENT   the same for the environment: NAME=VALUE
#
# The user chooses the MPI by its compiler wrapper: -DMPI_C_COMPILER=mpicc.mpich, or the variable MPICC at the first
# configuration; otherwise CMake looks for mpicc on PATH. The launcher is the one beside the wrapper, unless
# MPIEXEC_EXECUTABLE names another (srun, for example).

# minx_preprocess(result includes text): what the C preprocessor makes of `text`; empty where it fails
function(minx_preprocess result includes text)
  set(file "${CMAKE_BINARY_DIR}/CMakeFiles/minx_preprocess.c")
  file(WRITE "${file}" "${text}\n")
  list(FILTER includes INCLUDE REGEX ".")
  list(TRANSFORM includes PREPEND "-I")
  execute_process(COMMAND ${CMAKE_C_COMPILER} -E -P ${includes} "${file}"
    OUTPUT_VARIABLE output ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(output "")
  endif()
  set(${result} "${output}" PARENT_SCOPE)
endfunction()

# minx_needed_mpi(result file): the shared MPI libraries that the program or library `file` asks for
function(minx_needed_mpi result file)
  set(needed "")
  if(CMAKE_READELF)
    execute_process(COMMAND ${CMAKE_READELF} -d "${file}" OUTPUT_VARIABLE output ERROR_QUIET)
    string(REGEX MATCHALL "NEEDED[^\n]*\\[lib(mpi|mpich|mpi_[a-z0-9_]+|mpifort)\\.so[.0-9]*\\]" needed "${output}")
    list(TRANSFORM needed REPLACE "^.*\\[(.*)\\]$" "\\1")
  endif()
  set(${result} "${needed}" PARENT_SCOPE)
endfunction()

# The wrapper's full name, and nothing kept of another one that was chosen before.
function(minx_choose_mpi_)
  set(wanted "${MPI_C_COMPILER}")
  if(NOT wanted AND NOT DEFINED minx_MPI_FOUND_FOR)
    set(wanted "$ENV{MPICC}")
  endif()
  if(wanted)
    find_program(path NAMES "${wanted}" NO_CACHE)
    if(NOT path)
      message(FATAL_ERROR "There is no MPI compiler ${wanted}: MPI_C_COMPILER (or the variable MPICC) has to name one, "
        "such as mpicc, mpicc.openmpi or mpicc.mpich, by its full name where it is not on PATH.")
    endif()
    set(wanted "${path}")
  endif()
  if(DEFINED minx_MPI_FOUND_FOR AND NOT minx_MPI_FOUND_FOR STREQUAL "${wanted}")
    get_cmake_property(names CACHE_VARIABLES)
    list(FILTER names INCLUDE REGEX "^MPI_")
    list(REMOVE_ITEM names MPI_HOME)
    foreach(name IN LISTS names)
      unset(${name} CACHE)
    endforeach()
    if("${MPIEXEC_EXECUTABLE}" STREQUAL "${minx_MPIEXEC_FOUND}")
      unset(MPIEXEC_EXECUTABLE CACHE)
    endif()
  endif()
  if(wanted)
    set(MPI_C_COMPILER "${wanted}" CACHE FILEPATH "The compiler wrapper of the MPI library" FORCE)
    get_filename_component(folder "${wanted}" DIRECTORY)
    get_filename_component(name "${wanted}" NAME)
    string(REGEX MATCH "\\..*$" suffix "${name}") # Debian: mpicc.mpich and mpiexec.mpich
    find_program(MPIEXEC_EXECUTABLE NAMES "mpiexec${suffix}" "mpirun${suffix}" PATHS "${folder}" NO_DEFAULT_PATH)
  endif()
endfunction()

function(minx_name_mpi_)
  minx_preprocess(text "${MPI_C_INCLUDE_DIRS}" "#include <mpi.h>
#if defined(I_MPI_VERSION)
MINX intel I_MPI_VERSION
#elif defined(MVAPICH2_VERSION)
MINX mvapich MVAPICH2_VERSION
#elif defined(MVAPICH_VERSION)
MINX mvapich MVAPICH_VERSION
#elif defined(MPICH_VERSION)
MINX mpich MPICH_VERSION
#elif defined(OMPI_MAJOR_VERSION)
MINX openmpi OMPI_MAJOR_VERSION.OMPI_MINOR_VERSION.OMPI_RELEASE_VERSION
#endif")
  set(family other)
  set(name "MPI ${MPI_C_VERSION}")
  if(text MATCHES "MINX ([a-z]+) ([^\n]*)")
    set(family ${CMAKE_MATCH_1})
    string(REGEX REPLACE "[\" ]" "" version "${CMAKE_MATCH_2}")
    set(name_of_intel "Intel MPI")
    set(name_of_mvapich MVAPICH)
    set(name_of_mpich MPICH)
    set(name_of_openmpi "Open MPI")
    set(name "${name_of_${family}} ${version}")
    if(family STREQUAL mvapich)
      set(family mpich)
    endif()
  endif()
  set(minx_MPI_FAMILY ${family} PARENT_SCOPE)
  set(minx_MPI_NAME "${name}" PARENT_SCOPE)
endfunction()

# minx_launcher_family_(result program): openmpi, mpich (Hydra), intel; other: it does not say, as Slurm's srun
function(minx_launcher_family_ result program)
  execute_process(COMMAND "${program}" --version INPUT_FILE /dev/null OUTPUT_VARIABLE said ERROR_VARIABLE said TIMEOUT 30)
  set(family other)
  if(said MATCHES "Open MPI|OpenRTE|PRRTE")
    set(family openmpi)
  elseif(said MATCHES "Intel")
    set(family intel)
  elseif(said MATCHES "HYDRA|MPICH|MVAPICH")
    set(family mpich)
  endif()
  set(${result} ${family} PARENT_SCOPE)
endfunction()

# A launcher of another MPI starts N programs of one rank each.
function(minx_check_launcher_)
  minx_launcher_family_(family "${MPIEXEC_EXECUTABLE}")
  if(family STREQUAL minx_MPI_FAMILY OR family STREQUAL other OR minx_MPI_FAMILY STREQUAL other)
    return()
  endif()
  find_program(launcher NAMES mpiexec.${minx_MPI_FAMILY} mpirun.${minx_MPI_FAMILY} NO_CACHE)
  if(NOT launcher)
    message(FATAL_ERROR "The MPI library is ${minx_MPI_NAME}, but ${MPIEXEC_EXECUTABLE} starts programs of another: "
      "set MPIEXEC_EXECUTABLE to the launcher of ${minx_MPI_NAME}, or choose the MPI with MPI_C_COMPILER.")
  endif()
  set(MPIEXEC_EXECUTABLE "${launcher}" CACHE FILEPATH "The launcher of MPI programs" FORCE)
endfunction()

minx_choose_mpi_()
find_package(MPI REQUIRED COMPONENTS C)
minx_name_mpi_()
minx_check_launcher_()
set(minx_MPI_FOUND_FOR "${MPI_C_COMPILER}" CACHE INTERNAL "the MPI compiler that MPI was found for")
set(minx_MPIEXEC_FOUND "${MPIEXEC_EXECUTABLE}" CACHE INTERNAL "the launcher that was found")

# what a program that calls MPI is linked to
file(WRITE "${CMAKE_BINARY_DIR}/CMakeFiles/minx_mpi.c"
  "#include <mpi.h>\nint main(int argc, char **argv) { return MPI_Init(&argc, &argv); }\n")
try_compile(minx_MPI_LINKS "${CMAKE_BINARY_DIR}/CMakeFiles/minx_mpi" SOURCES "${CMAKE_BINARY_DIR}/CMakeFiles/minx_mpi.c"
  LINK_LIBRARIES MPI::MPI_C OUTPUT_VARIABLE minx_mpi_output COPY_FILE "${CMAKE_BINARY_DIR}/CMakeFiles/minx_mpi.out")
if(NOT minx_MPI_LINKS)
  message(FATAL_ERROR "A program that calls MPI_Init does not link with ${minx_MPI_NAME}:\n${minx_mpi_output}")
endif()
minx_needed_mpi(minx_MPI_SONAMES "${CMAKE_BINARY_DIR}/CMakeFiles/minx_mpi.out")

if(CMAKE_C_COMPILER_ID STREQUAL GNU AND NOT minx_MPI_FAMILY STREQUAL openmpi)
  # MPICH's MPI_STATUSES_IGNORE is the address 1, of which gcc says that statuses do not fit there
  target_compile_options(MPI::MPI_C INTERFACE -Wno-stringop-overflow)
endif()

set(minx_MPIEXEC ${MPIEXEC_EXECUTABLE})
set(minx_MPI_ENVIRONMENT "")
if(minx_MPI_FAMILY STREQUAL openmpi)
  minx_launcher_family_(minx_launcher "${MPIEXEC_EXECUTABLE}")
  if(minx_launcher STREQUAL openmpi)
    list(APPEND minx_MPIEXEC --oversubscribe --bind-to none)
  endif()
  # tests run as root in containers too; versions 4 (OMPI) and 5 (PRTE) name these differently
  set(minx_MPI_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 "PRTE_MCA_rmaps_default_mapping_policy=:OVERSUBSCRIBE")
  # The launcher tells ranks by sockets what they ask for. By files in memory that ranks share, Open MPI's usual way, a short program takes
  # more of the processor.
  if(NOT DEFINED ENV{PMIX_MCA_gds})
    list(APPEND minx_MPI_ENVIRONMENT PMIX_MCA_gds=hash)
  endif()
else()
  # Hydra allows more ranks than cores and binds none; MPICH's descendants bind by themselves
  set(minx_MPI_ENVIRONMENT I_MPI_PIN=0 MV2_ENABLE_AFFINITY=0)
endif()
list(APPEND minx_MPIEXEC ${MPIEXEC_PREFLAGS})
set(minx_MPIEXEC_LINE "${minx_MPIEXEC}" CACHE INTERNAL "the launcher and its flags, for scripts/run.sh")
message(STATUS "MPI: ${minx_MPI_NAME} (${MPI_C_COMPILER}, ${MPIEXEC_EXECUTABLE})")
