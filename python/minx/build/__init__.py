"""From the text of a kernel file to a shared library that is loaded: settings, command lines, cache.

settings     where libminx is installed, and what its build.json says
compilers    which C compiler is used, and its options
cuda         nvcc, the CUDA run time and the architecture of the GPU
units        the files that are compiled for one kernel file: one for each instance, and one for the table of instances
precompiled  minx's headers, compiled once
processes    compilers that run at the same time, and the line that says so
claims       one process compiles, others wait for it
cache        the results on disk: complete or not there
eviction     the cache does not grow without end
compile      all of them together: compile_kernel
"""
