# An HDF5 of another MPI is refused when minx is configured. The installation FOLDER/hdf5 is made here: a header that says
# "parallel", and a shared library that is linked to a library by the name of an MPI that is not the chosen one.
#
#     cmake -DSOURCE= -DFOLDER= -DGENERATOR= -DC_COMPILER= -DMPI_C_COMPILER= -DFAMILY= -DAR= -DROOT= -P mixture.cmake
#
# FAMILY is the chosen MPI's (minx_MPI_FAMILY), ROOT the HDF5_ROOT of this build, if it has one.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/hdf5/include ${FOLDER}/hdf5/lib)
file(WRITE ${FOLDER}/hdf5/include/H5public.h "#pragma once
#include <mpi.h>
#define H5_HAVE_PARALLEL 1
#define H5_VERS_MAJOR 1
#define H5_VERS_MINOR 99
#define H5_VERS_RELEASE 7
")
file(WRITE ${FOLDER}/hdf5/include/hdf5.h "#pragma once
#include \"H5public.h\"
int H5Pset_fapl_mpio(int list, MPI_Comm comm, MPI_Info info);
")
file(WRITE ${FOLDER}/mpi.c "int MPI_of_another = 1;\n")
file(WRITE ${FOLDER}/hdf5.c "extern int MPI_of_another;
int H5Pset_fapl_mpio(void) { return MPI_of_another; }
")

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
  set(failed "${failed}" PARENT_SCOPE)
  set(said "${said}" PARENT_SCOPE)
endfunction()
function(build_library name)
  run(${C_COMPILER} -shared -fPIC -Wl,--no-as-needed -o ${FOLDER}/hdf5/lib/${name} ${ARGN})
  if(failed)
    message(FATAL_ERROR "${name} was not built:\n${said}")
  endif()
endfunction()
build_library(libmpi_of_another.so.99 ${FOLDER}/mpi.c -Wl,-soname,libmpi_of_another.so.99)
build_library(libhdf5.so ${FOLDER}/hdf5.c ${FOLDER}/hdf5/lib/libmpi_of_another.so.99 -Wl,-soname,libhdf5.so)


# a static library: only code that was compiled for Open MPI uses variables of it
set(static ${FOLDER}/static)
file(COPY ${FOLDER}/hdf5/include DESTINATION ${static})
file(MAKE_DIRECTORY ${static}/lib)
if(FAMILY STREQUAL openmpi)
  set(uses MPI_Comm_dup)
else()
  set(uses ompi_mpi_comm_world)
endif()
file(WRITE ${FOLDER}/static.c "extern int ${uses}(void);\nint H5Pset_fapl_mpio(void) { return ${uses}(); }\n")
run(${C_COMPILER} -c -o ${FOLDER}/static.o ${FOLDER}/static.c)
run(${AR} cr ${static}/lib/libhdf5.a ${FOLDER}/static.o)

# configure(NAME MESSAGE ARGUMENT...): minx with that HDF5 must be refused with this message
function(configure name message)
  run(${CMAKE_COMMAND} -S ${SOURCE} -B ${FOLDER}/${name} -G ${GENERATOR} -DCMAKE_C_COMPILER=${C_COMPILER}
    -DMPI_C_COMPILER=${MPI_C_COMPILER} -DMINX_CUDA=OFF -DMINX_TESTS=OFF ${ARGN})
  if(NOT failed)
    message(FATAL_ERROR "${name}: configured without an error:\n${said}")
  endif()
  string(REGEX REPLACE "[ \n]+" " " text "${said}")
  if(NOT text MATCHES "${message}")
    message(FATAL_ERROR "${name}: expected '${message}', got:\n${said}")
  endif()
endfunction()
configure(auto
  "no parallel or serial HDF5 in HDF5_ROOT .*libhdf5\\.so: parallel, but built with the MPI library libmpi_of_another\\.so\\.99.*apt-get install libhdf5-"
  -DHDF5_ROOT=${FOLDER}/hdf5)
configure(parallel "no parallel HDF5 in HDF5_ROOT .*libmpi_of_another.*-DHDF5_ROOT=FOLDER" -DHDF5_ROOT=${FOLDER}/hdf5
  -DMINX_HDF5=parallel)
if(FAMILY MATCHES "openmpi|mpich|intel")
  configure(static "no parallel HDF5 in HDF5_ROOT .*libhdf5\\.a: parallel, but built with (another MPI than )?Open MPI"
    -DHDF5_ROOT=${static} -DMINX_HDF5=parallel)
endif()

# one that is found on the way to the right one is passed over; an HDF5_ROOT allows no search
if(ROOT)
  return()
endif()
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${FOLDER}/passed_over -G ${GENERATOR} -DCMAKE_C_COMPILER=${C_COMPILER}
  -DMPI_C_COMPILER=${MPI_C_COMPILER} -DMINX_CUDA=OFF -DMINX_TESTS=OFF -DCMAKE_PREFIX_PATH=${FOLDER}/hdf5)
if(failed OR NOT said MATCHES "-- HDF5: [1-9][^\n]*" OR CMAKE_MATCH_0 MATCHES "1\\.99\\.7")
  message(FATAL_ERROR "passed_over: expected an HDF5 of the chosen MPI, got:\n${said}")
endif()
