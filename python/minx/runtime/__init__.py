"""libminx, called by ctypes.

structures.py   the structures and numbers of minx's headers
library.py      the functions, errors, start and end; what is held until then
context.py      contexts
view.py         views: memory of minx's own, parts of it, arrays both ways
arrays.py       arrays of other libraries as views, without a copy
arguments.py    arrays as arguments of launches
dlpack.py       capsules that libraries exchange
graph.py        recorded launches
kernel_library.py  libraries of kernels written in C
regions.py      names for profiling tools
sorting.py      the kit's sorts"""

from .arguments import array_type, dtype_of, is_array, is_writable, state_of, view_of
from .arrays import describe, streams_of
from .context import Context, backend_missing, backends, default, fence, partition, set_default
from .graph import Graph, graph
from .kernel_library import KernelLibrary, load
from .library import Held, Library, libminx, users
from .regions import event, region
from .structures import CUDA, DEFAULT, HOST, LEFT, MANAGED, PINNED, RIGHT, SIMT, STRIDE, Handle, handles, zeros
from .view import View, from_dlpack
