# What gdb shows in the body of a kernel: the program SMOOTH (debugging/), compiled in the configuration Debug, stops in a function
# that a body calls, then in the bodies of a reduction, of a kernel of teams, and of a scan. GDB: the debugger; SOURCE: the folder of the program's files.
if(NOT GDB)
  message(STATUS "skipped: gdb is not installed")
  return()
endif()

# set_line(WORD): the number of the line of smooth.c that ends with "line: WORD", in line_WORD
function(set_line word)
  file(READ ${SOURCE}/smooth.c text)
  string(FIND "${text}" "/* line: ${word} */" at)
  string(SUBSTRING "${text}" 0 ${at} text)
  string(REGEX MATCHALL "\n" ends "${text}")
  list(LENGTH ends number)
  math(EXPR number "${number} + 1")
  set(line_${word} ${number} PARENT_SCOPE)
endfunction()
foreach(word mean body stamp sum row rows scan scans)
  set_line(${word})
endforeach()

function(run_gdb resource output)
  set(commands)
  foreach(command "set pagination off" "set confirm off" "set width 0" "break smooth.c:${line_mean}" "run ${resource}" bt
      "print *a" "info locals" up "info args" "info locals" list
      "print a->old.data[j * a->old.stride[0] + k * a->old.stride[1]]" delete "break smooth.c:${line_sum}" continue
      "info args" "info locals" "print *sum" delete "break smooth.c:${line_row}" continue
      bt "print *a" "info args" "info locals" list "print t->league_size" "print a->length.data[0]" delete
      "break smooth.c:${line_scan}" continue bt "print *a" "info args" "info locals" list "print *before + 1" kill)
    list(APPEND commands -ex "${command}")
  endforeach()
  execute_process(COMMAND ${GDB} -q -nx -batch ${commands} ${SMOOTH}
    OUTPUT_VARIABLE said ERROR_VARIABLE said TIMEOUT 120)
  set(${output} "${said}" PARENT_SCOPE)
endfunction()

foreach(resource serial openmp simt)
  run_gdb(${resource} said)
  if(said MATCHES "ptrace: Operation not permitted|Could not trace the inferior|Cannot PTRACE")
    message(STATUS "skipped: gdb may not trace a program here")
    return()
  endif()
  set(address "0x[0-9a-f]+")
  set(file "[^\n]*smooth\\.c")
  set(struct "extent = {3, 16}[^\n]*weight = 0\\.25, columns = 16}")
  # where it stopped, and how it came there
  set(expected
    "#0 +smooth_mean \\(a=${address}, left=2, right=2\\) at ${file}:${line_mean}\n"
    "#1 [^\n]* smooth_body \\(a=${address}, j=1, k=[0-9]+\\) at ${file}:${line_body}\n"
    "#2 [^\n]* smooth__item \\([^\n]* at ${file}:${line_stamp}\n"
    "#3 [^\n]* smooth__tile \\([^\n]* at ${file}:${line_stamp}\n")
  if(NOT resource STREQUAL simt) # the calling thread has the program's frames, too
    list(APPEND expected " smooth \\(policy_=[^\n]*smooth\\.h:[0-9]+\n" " run \\(ctx=${address}\\) at [^\n]*main\\.c:[0-9]+\n")
  endif()
  # arguments and locals of the function, then of the body; source; an element; the reduction
  list(APPEND expected
    "\\$1 = [^\n]*${struct}\n"
    "mean = 2\n"
    "j = 1\nk = [0-9]+\nleft = 2\nright = 2\n"
    "${line_body}\t    MX_AT\\(a->next, j, k\\) = smooth_mean\\(a, left, right\\)"
    "\\$2 = 2\n"
    "smooth_sum_body \\(a=${address}, k=[0-9]+, sum=${address}\\) at ${file}:${line_sum}\n"
    "value = 0\\.5\n"
    "\\$3 = [0-9.]+\n"
    # a team: its number, its sum
    "#0 +smooth_rows_body \\(a=${address}, t=${address}\\) at ${file}:${line_row}\n"
    "#1 [^\n]* smooth_rows__item \\([^\n]* at ${file}:${line_rows}\n"
    "\\$4 = [^\n]*${struct}\n"
    "t = ${address}\n"
    "row = [012]\nlength = 32\n"
    "${line_row}\t    MX_VECTOR_SINGLE \\(t\\) MX_AT\\(a->length, row\\) = length"
    "\\$5 = 3\n"
    "\\$6 = (0|32)\n"
    # a scan
    "#0 +smooth_scan_body \\(a=${address}, k=[0-9]+, before=${address}, final=(true|false)\\) at ${file}:${line_scan}\n"
    "#1 [^\n]* smooth_scan__item \\([^\n]* at ${file}:${line_scans}\n"
    "\\$7 = [^\n]*${struct}\n"
    "k = [0-9]+\nbefore = ${address}\nfinal = (true|false)\n"
    "value = 2\n"
    "${line_scan}\t    \\*before \\+= value"
    "\\$8 = [0-9.]+\n")
  foreach(part IN LISTS expected)
    if(NOT said MATCHES "${part}")
      message(SEND_ERROR "gdb on ${resource}: expected '${part}'")
      set(failed yes)
    endif()
  endforeach()
  # (libraries may have such arguments)
  foreach(part "\n[a-z]+ = <optimized out>" "smooth[a-z_]* \\([^\n]*<optimized out>" "No symbol")
    if(said MATCHES "${part}")
      message(SEND_ERROR "gdb on ${resource}: says '${part}'")
      set(failed yes)
    endif()
  endforeach()
  if(failed)
    message(FATAL_ERROR "gdb on ${resource} said:\n${said}")
  endif()
endforeach()
