# How large is a kernel behind its macro? cmake -P expansion.cmake -- COMPILER OPTION... FILE:
# preprocesses FILE, and expects at most BYTES bytes and CALLS calls of the body behind the line
# that marks the kernel. Compile time follows both.
set(BYTES 4096)
set(CALLS 6)
include(${CMAKE_CURRENT_LIST_DIR}/command.cmake)
execute_process(COMMAND ${command} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE ".*the_expansion_begins_here;" "" text "${text}")
string(REGEX REPLACE "\n# [^\n]*" "" text "${text}") # line numbers
string(LENGTH "${text}" length)
# sum__item is the only function that calls the body
string(REGEX MATCHALL "sum__item\\(&a" calls "${text}")
list(LENGTH calls count)
message("${length} bytes, ${count} calls")
if(count EQUAL 0 OR length GREATER BYTES OR count GREATER CALLS)
  message(FATAL_ERROR "expected at most ${BYTES} bytes, and 1 to ${CALLS} calls")
endif()
