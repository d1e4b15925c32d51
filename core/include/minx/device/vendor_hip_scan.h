/* rocPRIM's scan. Its header names std::cout, and some versions do not include what defines it. */
#pragma once
#include <iostream>

#include <rocprim/device/device_scan.hpp>
