/* The MPI inside app_comm, for transport_mpi.c and the results files. Apps never include this. */
#pragma once
#include "comm.h"

#include <mpi.h>

#define APP_MPI_GID MPI_INT64_T
#define APP_MPI_LID MPI_INT32_T

/* All ranks of the run. Errors are returned, never fatal: check every call with APP_MPI_TRY. */
MPI_Comm app_comm_mpi(app_comm comm);

/* MX_OK for MPI_SUCCESS, else MX_ERR_COMM with the library's text; `call` names the call. */
mx_err app_mpi_check(int code, const char *call);

/* Returns from the calling function when an MPI call fails. */
#define APP_MPI_TRY(call) MX_TRY(app_mpi_check((call), #call))

/* Combines bytes of all ranks by bitwise or, in place, result everywhere. Collective, blocking. */
mx_err app_or_bytes(app_comm comm, unsigned char *bytes, size_t count);
