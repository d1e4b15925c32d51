"""The version of this package. It is that of the library, as CMakeLists.txt has it."""

__version__ = "0.1.0"
