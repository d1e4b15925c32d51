/* The end of DLPack capsules that the Python package makes (python/minx/runtime/dlpack.py). A capsule
 * may end while an exception is on its way, or in a thread that Python does not know. Python's own
 * code must not run then, so this is C, as in every extension module: it takes the lock of the
 * interpreter, puts the exception aside, and lets the owner go. The library is not linked to
 * Python: the package gives the functions. */
#include <stddef.h>
#include <stdint.h>

/* Functions of Python's stable ABI; objects are void *. */
typedef struct python {
    int (*is_initialized)(void);
    int (*take_lock)(void);
    void (*give_lock)(int);
    void (*put_aside)(void **, void **, void **);
    void (*restore)(void *, void *, void *);
    void (*release)(void *);
    int (*capsule_is)(void *, const char *);
    void *(*capsule_pointer)(void *, const char *);
} python;

typedef struct tensor {
    void *data;
    int32_t device_type, device, rank;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} tensor;

/* DLManagedTensor and DLManagedTensorVersioned. The owner is an object of Python that has all this memory. */
typedef struct managed {
    tensor tensor;
    void *owner;
    void (*end)(struct managed *);
} managed;

typedef struct managed_versioned {
    uint32_t major, minor;
    void *owner;
    void (*end)(struct managed_versioned *);
    uint64_t flags;
    tensor tensor;
} managed_versioned;

/* Called by ctypes only. */
void mx_dlpack_start_(const python *functions);
void mx_dlpack_end_(managed *m);
void mx_dlpack_end_versioned_(managed_versioned *m);
void mx_dlpack_end_capsule_(void *capsule);

static python py;

void mx_dlpack_start_(const python *functions) { py = *functions; }

static void release(void *owner)
{
    if (!py.is_initialized()) return; /* the memory ends with the process */
    const int lock = py.take_lock();
    void *type, *value, *trace;
    py.put_aside(&type, &value, &trace);
    py.release(owner);
    py.restore(type, value, trace);
    py.give_lock(lock);
}

void mx_dlpack_end_(managed *m) { release(m->owner); }

void mx_dlpack_end_versioned_(managed_versioned *m) { release(m->owner); }

/* A capsule that nobody took has its first name still. */
void mx_dlpack_end_capsule_(void *capsule)
{
    static const char old[] = "dltensor", versioned[] = "dltensor_versioned";
    if (py.capsule_is(capsule, old))
        mx_dlpack_end_(py.capsule_pointer(capsule, old));
    else if (py.capsule_is(capsule, versioned))
        mx_dlpack_end_versioned_(py.capsule_pointer(capsule, versioned));
}
