"""From a C file to a shared library."""
