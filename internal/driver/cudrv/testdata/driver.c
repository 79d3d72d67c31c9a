/* A shared library with the functions of the CUDA driver, on host memory, for the test of the real loader.
 * Work is done at once, so streams and events hold no more than counters.  Build options:
 *   -DVERSION=n    what cuDriverGetVersion gives
 *   -DNO_WAIT_EVENT   leave cuStreamWaitEvent out
 *   -DNO_OPTIONAL     leave out what callers can do without, and the new cuEventElapsedTime_v2
 *   -DDOUBLE          every function of a module is double, in any grid, and not axpy
 *   -DLOST            the device is lost while a kernel runs: what follows the launch fails
 * DRIVER_TEST_GPUS in the environment is how many GPUs the machine has, if not one; then CUDA_VISIBLE_DEVICES chooses among them.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#define API __declspec(dllexport)
#define PAUSE
#else
#include <time.h>
#define API __attribute__((visibility("default")))
#define PAUSE nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL)
#endif
#ifndef VERSION
#define VERSION 13040
#endif

enum { OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, INVALID_DEVICE = 101, INVALID_IMAGE = 200,
       INVALID_CONTEXT = 201, INVALID_PTX = 218, INVALID_HANDLE = 400, NOT_FOUND = 500, NOT_READY = 600,
       LAUNCH_FAILED = 719 };

#define TOTAL ((size_t)1 << 30)

typedef struct { int kind; int64_t at; } handle;   /* streams, events, modules, functions */
enum { STREAM = 1, EVENT, MODULE, FUNCTION, GRAPH, EXEC, POOL, NOTHING };   /* a function that does nothing, whatever its grid */

/* A graph, or one that can be launched: launches of axpy. */
typedef struct { float *y; const float *x; float a; int count; } axpy;
typedef struct { int kind; int n; axpy *work; } graph;

static int ready, lost;
static handle *capturing;  /* the stream that captures */
static graph *captured;
static size_t used;
static int64_t clock_ticks;
enum { FIRST = 7, GPUS = 8 };      /* GPU i of the machine is the CUdevice FIRST + i */
static char contexts[GPUS];
static int refs[GPUS];
static __thread void *current;

#define BAD(d) ((d) < FIRST || (d) >= FIRST + GPUS)
#define BAD_CONTEXT(c) ((char *)(c) < contexts || (char *)(c) >= contexts + GPUS)

/* visible gives the CUdevice of the program's device at an ordinal; -1 if there is none. */
static int visible(int ordinal) {
	const char *text = getenv("DRIVER_TEST_GPUS"), *list = getenv("CUDA_VISIBLE_DEVICES");
	int all = text ? atoi(text) : 1, i = ordinal;
	if (text && list) {
		for (; i > 0 && *list; list++) i -= *list == ',';
		if (i || !*list) return -1;
		i = atoi(list);
	}
	return i < 0 || i >= all || i >= GPUS ? -1 : FIRST + i;
}

#define NEED_INIT if (!ready) return NOT_INITIALIZED
#define NEED_CONTEXT if (!ready) return NOT_INITIALIZED; if (BAD_CONTEXT(current) || !refs[(char *)current - contexts]) return INVALID_CONTEXT; if (lost) return LAUNCH_FAILED
#define NEED(h, k) if (!(h) || ((handle *)(h))->kind != (k)) return INVALID_HANDLE

static void *make(int kind) {
	handle *h = calloc(1, sizeof *h);
	h->kind = kind;
	return h;
}

static int drop(void *h) {
	((handle *)h)->kind = 0;
	free(h);
	return OK;
}

API int cuInit(unsigned flags) { if (flags) return INVALID_VALUE; ready = 1; return OK; }
API int cuDriverGetVersion(int *v) { *v = VERSION; return OK; }
API int cuDeviceGetCount(int *n) { NEED_INIT; for (*n = 0; visible(*n) >= 0; ++*n) {} return OK; }
API int cuDeviceGet(int *d, int ordinal) { NEED_INIT; *d = visible(ordinal); return *d < 0 ? INVALID_DEVICE : OK; }
API int cuDeviceGetName(char *name, int len, int d) {
	NEED_INIT;
	if (BAD(d)) return INVALID_DEVICE;
	strncpy(name, "C test device", len);
	return OK;
}
API int cuDeviceGetAttribute(int *v, int attr, int d) {
	NEED_INIT;
	if (BAD(d)) return INVALID_DEVICE;
	switch (attr) {
	case 5: *v = 0x7fffffff; return OK;
	case 6: case 7: *v = 65535; return OK;
	case 16: *v = 4; return OK;
	case 75: *v = 9; return OK;
	case 76: *v = 0; return OK;
	case 97: *v = 232448; return OK;
#ifndef NO_OPTIONAL
	case 115: *v = 1; return OK;
#endif
	}
	return INVALID_VALUE;
}
API int cuDeviceTotalMem_v2(size_t *n, int d) { NEED_INIT; if (BAD(d)) return INVALID_DEVICE; *n = TOTAL; return OK; }
API int cuDevicePrimaryCtxRetain(void **c, int d) { NEED_INIT; if (BAD(d)) return INVALID_DEVICE; refs[d - FIRST]++; *c = &contexts[d - FIRST]; return OK; }
API int cuDevicePrimaryCtxRelease_v2(int d) { NEED_INIT; if (BAD(d) || !refs[d - FIRST]) return INVALID_DEVICE; refs[d - FIRST]--; return OK; }
API int cuCtxSetCurrent(void *c) { NEED_INIT; if (c && BAD_CONTEXT(c)) return INVALID_CONTEXT; current = c; return OK; }
API int cuCtxGetDevice(int *d) { NEED_CONTEXT; *d = FIRST + (int)((char *)current - contexts); return OK; }
API int cuCtxSynchronize(void) { NEED_CONTEXT; return OK; }

#ifndef NO_OPTIONAL
API int cuGetErrorName(int code, const char **s) { *s = code == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : NULL; return *s ? OK : INVALID_VALUE; }
API int cuGetErrorString(int code, const char **s) { *s = code == OUT_OF_MEMORY ? "out of memory (says C)" : NULL; return *s ? OK : INVALID_VALUE; }
API int cuMemGetInfo_v2(size_t *left, size_t *total) { NEED_CONTEXT; *left = TOTAL - used; *total = TOTAL; return OK; }
API int cuFuncSetAttribute(void *f, int attr, int v) {
	NEED_CONTEXT;
	NEED(f, FUNCTION);
	if (attr == 8) ((handle *)f)->at = v;
	return attr == 8 || (attr == 14 && (v == 0 || v == 1)) ? OK : INVALID_VALUE;
}
/* A tensor map holds what it was made of. */
API int cuTensorMapEncodeTiled(uint64_t *map, int type, unsigned rank, void *p, const uint64_t *dims, const uint64_t *strides, const unsigned *box,
	const unsigned *steps, int interleave, int swizzle, int promotion, int fill) {
	if ((uintptr_t)map % 64 || !rank || rank > 5) return INVALID_VALUE;
	uint64_t all[16] = {type, rank, (uintptr_t)p, dims[0], dims[rank - 1], rank > 1 ? strides[rank - 2] : 0, box[0], box[rank - 1], steps[rank - 1], interleave, swizzle,
		promotion, fill};
	memcpy(map, all, sizeof all);
	return OK;
}
#endif

/* A module is an "\x7f" "ELF" file, or text that is PTX unless it says "bad". Options 3 to 6 are the logs and their sizes. */
API int cuModuleLoadDataEx(void **m, const char *image, unsigned n, const int *options, void **values) {
	NEED_CONTEXT;
	const char *log[2] = {"", ""};
	int code = OK;
	if (memcmp(image, "\x7f" "ELF", 4)) {
		for (const char *p = image; *p; p++) if (*p > 0 && *p < '\t') return INVALID_VALUE; /* the text runs over its end */
		log[0] = "compiled by C";
		if (strstr(image, "bad")) { log[1] = "line 3: bad instruction\n"; code = INVALID_PTX; }
	}
	for (unsigned i = 0; i < n; i++) {
		int which = (options[i] - 3) / 2;
		if (options[i] < 3 || options[i] > 6) return INVALID_VALUE;
		if ((options[i] - 3) % 2 == 0) {
			if ((size_t)(uintptr_t)values[i + 1] < strlen(log[which]) + 1) return INVALID_VALUE;
			strcpy(values[i], log[which]);
		} else {
			values[i] = (void *)(uintptr_t)strlen(log[which]);
		}
	}
	if (code == OK) *m = make(MODULE);
	return code;
}
API int cuModuleUnload(void *m) { NEED_CONTEXT; NEED(m, MODULE); return drop(m); }
API int cuModuleGetFunction(void **f, void *m, const char *name) {
	NEED_CONTEXT;
	NEED(m, MODULE);
	int nothing = strstr(name, "nothing") != NULL;
#ifndef DOUBLE
	if (strcmp(name, "axpy") && !nothing) return NOT_FOUND;
#endif
	*f = make(FUNCTION);
	if (nothing) ((handle *)*f)->kind = NOTHING;
	return OK;
}
API int cuFuncGetAttribute(int *v, int attr, void *f) { NEED_CONTEXT; NEED(f, FUNCTION); *v = attr == 8 ? (int)((handle *)f)->at : 10 + attr; return OK; }

static int run(axpy w) {
	for (int i = 0; i < w.count; i++) w.y[i] += w.a * w.x[i];
	return OK;
}

/* The kernel axpy(float *y, const float *x, float a, int16_t n): block b does elements 4b to 4b+3. Or double, of two tensors of
 * one axis, each a pointer, an extent and a stride. */
API int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
		unsigned shared, void *stream, void **params, void **extra) {
	NEED_CONTEXT;
	if (f && ((handle *)f)->kind == NOTHING) return OK;
	NEED(f, FUNCTION);
	if (stream) NEED(stream, STREAM);
#ifdef LOST
	lost = 1;
	return OK;
#endif
#ifdef DOUBLE
	const float *from = *(float **)params[0];
	float *to = *(float **)params[3];
	for (int32_t i = 0; i < *(int32_t *)params[1]; i++) to[i] = 2 * from[i];
	return OK;
#endif
	if (!gx || gy != 2 || gz != 3 || bx != 1 || by != 1 || bz != 1 || shared != 64 || extra) return INVALID_VALUE;
	float *y = *(float **)params[0], a = *(float *)params[2];
	const float *x = *(float **)params[1];
	int16_t n = *(int16_t *)params[3];
	axpy w = {y, x, a, 4 * (int)gx < n ? 4 * (int)gx : n};
	if (stream && stream == capturing) {
		captured->work = realloc(captured->work, (captured->n + 1) * sizeof w);
		captured->work[captured->n++] = w;
		return OK;
	}
	return run(w);
}

#ifndef NO_OPTIONAL
API int cuStreamBeginCapture_v2(void *s, int mode) {
	NEED_CONTEXT;
	NEED(s, STREAM);
	if (capturing || mode != 2) return INVALID_VALUE;
	capturing = s;
	captured = calloc(1, sizeof *captured);
	captured->kind = GRAPH;
	return OK;
}
API int cuStreamEndCapture(void *s, void **g) {
	NEED_CONTEXT;
	if (!s || s != capturing) return INVALID_VALUE;
	capturing = NULL;
	*g = captured;
	return OK;
}
static int drop_graph(graph *g) { free(g->work); return drop(g); }
API int cuGraphDestroy(void *g) { NEED_CONTEXT; NEED(g, GRAPH); return drop_graph(g); }
API int cuGraphExecDestroy(void *e) { NEED_CONTEXT; NEED(e, EXEC); return drop_graph(e); }
static void copy_work(graph *to, const graph *from) {
	free(to->work);
	to->n = from->n;
	to->work = malloc((from->n + 1) * sizeof *from->work);
	memcpy(to->work, from->work, from->n * sizeof *from->work);
}
API int cuGraphInstantiateWithFlags(void **e, void *g, unsigned long long flags) {
	NEED_CONTEXT;
	NEED(g, GRAPH);
	if (flags) return INVALID_VALUE;
	graph *x = calloc(1, sizeof *x);
	x->kind = EXEC;
	copy_work(x, g);
	*e = x;
	return OK;
}
typedef struct { int code; void *node, *other; } update_result;
API int cuGraphExecUpdate_v2(void *e, void *g, update_result *why) {
	NEED_CONTEXT;
	NEED(e, EXEC);
	NEED(g, GRAPH);
	why->code = ((graph *)e)->n != ((graph *)g)->n;
	why->node = why->other = e;
	if (why->code) return 910;
	copy_work(e, g);
	return OK;
}
API int cuGraphLaunch(void *e, void *s) {
	NEED_CONTEXT;
	NEED(e, EXEC);
	NEED(s, STREAM);
	for (int i = 0; i < ((graph *)e)->n; i++) run(((graph *)e)->work[i]);
	return OK;
}
#endif

#ifndef NO_OPTIONAL
typedef struct { unsigned id; char pad[4]; char value[64]; } attribute;
typedef struct {
	unsigned gx, gy, gz, bx, by, bz, shared;
	void *stream;
	attribute *attrs;
	unsigned n;
} config;
/* The one attribute that is taken is 6, programmatic stream serialization, which must be on. */
API int cuLaunchKernelEx(const config *c, void *f, void **params, void **extra) {
	for (unsigned i = 0; i < c->n; i++)
		if (c->attrs[i].id != 6 || *(int *)c->attrs[i].value != 1) return INVALID_VALUE;
	return cuLaunchKernel(f, c->gx, c->gy, c->gz, c->bx, c->by, c->bz, c->shared, c->stream, params, extra);
}
#endif

/* Each allocation is preceded by its size. */
API int cuMemAlloc_v2(uint64_t *p, size_t n) {
	NEED_CONTEXT;
	if (!n) return INVALID_VALUE;
	if (used + n > TOTAL) return OUT_OF_MEMORY;
	char *raw = malloc(n + 512);
	char *at = (char *)(((uintptr_t)raw + 511) & ~(uintptr_t)255);
	((void **)at)[-1] = raw;
	((size_t *)at)[-2] = n;
	used += n;
	*p = (uint64_t)(uintptr_t)at;
	return OK;
}
API int cuMemFree_v2(uint64_t p) {
	NEED_CONTEXT;
	if (!p || p % 256) return INVALID_VALUE;
	used -= ((size_t *)(uintptr_t)p)[-2];
	free(((void **)(uintptr_t)p)[-1]);
	return OK;
}
#ifndef NO_OPTIONAL
/* A pool: what it keeps unused, and what is in use. It takes its memory from the system at once and gives it back at once. */
typedef struct { int kind; uint64_t threshold, used, peak; int readers; } pool;
typedef struct { int allocation, handles, where, id; char rest[72]; } pool_props;
static pool *the_pool;
API int cuMemPoolCreate(void **p, const pool_props *props) {
	NEED_CONTEXT;
	if (props->allocation != 1 || props->handles || props->where != 1 || BAD(props->id)) return INVALID_VALUE;
	for (size_t i = 0; i < sizeof props->rest; i++) if (props->rest[i]) return INVALID_VALUE;
	the_pool = calloc(1, sizeof *the_pool);
	the_pool->kind = POOL;
	*p = the_pool;
	return OK;
}
API int cuMemPoolDestroy(void *p) { NEED_CONTEXT; NEED(p, POOL); return drop(p); }
API int cuMemPoolSetAttribute(void *p, int attr, uint64_t *v) { NEED_CONTEXT; NEED(p, POOL); if (attr != 4) return INVALID_VALUE; ((pool *)p)->threshold = *v; return OK; }
API int cuMemPoolGetAttribute(void *p, int attr, uint64_t *v) {
	NEED_CONTEXT;
	NEED(p, POOL);
	pool *q = p;
	switch (attr) {
	case 4: *v = q->threshold; return OK;
	case 5: *v = q->peak; return OK;
	case 7: *v = q->used; return OK;
	}
	return INVALID_VALUE;
}
API int cuMemPoolTrimTo(void *p, size_t keep) { NEED_CONTEXT; NEED(p, POOL); pool *q = p; if (q->peak > keep) q->peak = q->used > keep ? q->used : keep; return OK; }
typedef struct { int where, id, flags; } access;
API int cuMemPoolSetAccess(void *p, const access *a, size_t n) { NEED_CONTEXT; NEED(p, POOL); ((pool *)p)->readers++; return n != 1 || a->where != 1 || BAD(a->id) || a->flags != 3 ? INVALID_VALUE : OK; }
API int cuMemAllocFromPoolAsync(uint64_t *at, size_t n, void *p, void *s) {
	NEED_CONTEXT;
	NEED(p, POOL);
	NEED(s, STREAM);
	int code = cuMemAlloc_v2(at, n);
	if (code) return code;
	pool *q = p;
	q->used += n;
	if (q->used > q->peak) q->peak = q->used;
	return OK;
}
API int cuMemFreeAsync(uint64_t at, void *s) {
	NEED_CONTEXT;
	NEED(s, STREAM);
	if (!at || at % 256) return INVALID_VALUE;
	the_pool->used -= ((size_t *)(uintptr_t)at)[-2];
	return cuMemFree_v2(at);
}
API int cuMemHostAlloc(void **p, size_t n, unsigned flags) { NEED_CONTEXT; if (flags != 1) return INVALID_VALUE; *p = malloc(n); return OK; }
API int cuMemFreeHost(void *p) { NEED_CONTEXT; free(p); return OK; }
API int cuPointerGetAttribute(int *v, int attr, uint64_t p) { NEED_CONTEXT; if (attr != 9 || p < 4096) return INVALID_VALUE; *v = 0; return OK; }
API int cuDeviceCanAccessPeer(int *can, int d, int peer) { NEED_INIT; if (BAD(d)) return INVALID_DEVICE; *can = peer != d; return OK; }
API int cuMemcpyPeerAsync(uint64_t d, void *dc, uint64_t s, void *sc, size_t n, void *h) {
	NEED_CONTEXT;
	NEED(h, STREAM);
	if (BAD_CONTEXT(dc) || BAD_CONTEXT(sc)) return INVALID_CONTEXT;
	memcpy((void *)(uintptr_t)d, (void *)(uintptr_t)s, n);
	return OK;
}
#endif

#define STREAM_OK(s) if (s) NEED(s, STREAM)
API int cuMemcpyHtoD_v2(uint64_t d, const void *s, size_t n) { NEED_CONTEXT; memcpy((void *)(uintptr_t)d, s, n); return OK; }
API int cuMemcpyDtoH_v2(void *d, uint64_t s, size_t n) { NEED_CONTEXT; memcpy(d, (void *)(uintptr_t)s, n); return OK; }
API int cuMemcpyHtoDAsync_v2(uint64_t d, const void *s, size_t n, void *h) { NEED_CONTEXT; STREAM_OK(h); memcpy((void *)(uintptr_t)d, s, n); return OK; }
API int cuMemcpyDtoHAsync_v2(void *d, uint64_t s, size_t n, void *h) { NEED_CONTEXT; STREAM_OK(h); memcpy(d, (void *)(uintptr_t)s, n); return OK; }
API int cuMemcpyDtoDAsync_v2(uint64_t d, uint64_t s, size_t n, void *h) { NEED_CONTEXT; STREAM_OK(h); memcpy((void *)(uintptr_t)d, (void *)(uintptr_t)s, n); return OK; }
API int cuMemsetD8Async(uint64_t d, unsigned char v, size_t n, void *h) { NEED_CONTEXT; STREAM_OK(h); memset((void *)(uintptr_t)d, v, n); return OK; }

API int cuStreamCreate(void **s, unsigned flags) { NEED_CONTEXT; if (flags != 1) return INVALID_VALUE; *s = make(STREAM); return OK; }
API int cuStreamDestroy_v2(void *s) { NEED_CONTEXT; NEED(s, STREAM); return drop(s); }
/* Another library may queue work that does not end: it makes the `at` of a stream negative. */
static int settle(volatile handle *h) { while (h && h->at < 0) PAUSE; return OK; }
API int cuStreamSynchronize(void *s) { NEED_CONTEXT; STREAM_OK(s); return settle(s); }
API int cuStreamQuery(void *s) { NEED_CONTEXT; STREAM_OK(s); return s && ((handle *)s)->at < 0 ? NOT_READY : OK; }
#ifndef NO_WAIT_EVENT
API int cuStreamWaitEvent(void *s, void *e, unsigned flags) { NEED_CONTEXT; NEED(s, STREAM); NEED(e, EVENT); return flags ? INVALID_VALUE : OK; }
#endif
API int cuEventCreate(void **e, unsigned flags) { NEED_CONTEXT; if (flags) return INVALID_VALUE; *e = make(EVENT); return OK; }
API int cuEventDestroy_v2(void *e) { NEED_CONTEXT; NEED(e, EVENT); return drop(e); }
API int cuEventRecord(void *e, void *s) { NEED_CONTEXT; NEED(e, EVENT); NEED(s, STREAM); ((handle *)e)->at = ((handle *)s)->at < 0 ? -1 : ++clock_ticks; return OK; }
API int cuEventSynchronize(void *e) { NEED_CONTEXT; NEED(e, EVENT); return settle(e); }
/* An event that was never recorded is not ready, so that the answer can be seen. */
API int cuEventQuery(void *e) { NEED_CONTEXT; NEED(e, EVENT); return ((handle *)e)->at > 0 ? OK : NOT_READY; }
static int elapsed(float *ms, void *a, void *b, float unit) { NEED_CONTEXT; NEED(a, EVENT); NEED(b, EVENT); *ms = unit * (((handle *)b)->at - ((handle *)a)->at); return OK; }
API int cuEventElapsedTime(float *ms, void *a, void *b) { return elapsed(ms, a, b, 1.0f); }
#ifndef NO_OPTIONAL
API int cuEventElapsedTime_v2(float *ms, void *a, void *b) { return elapsed(ms, a, b, 0.25f); }
#endif
