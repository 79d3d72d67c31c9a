/* A shared library with the functions of NCCL that the project calls, for tests: processes on one machine that share a file. Addresses
 * are of host memory, as those of the stand-in for the CUDA driver (internal/driver/cudrv/testdata/driver.c) are, and work is done at
 * once, so streams are only checked. Arguments that NCCL would refuse are refused. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))
enum { OK = 0, SYSTEM_ERROR = 2, INVALID_ARGUMENT = 4, INVALID_USAGE = 5, REMOTE_ERROR = 6 };
enum { RANKS = 8, SLOT = 4096, MAGIC = 0x6363 };

typedef struct { char name[128]; } id;

typedef struct {
	atomic_int came, round, joined;
	int colors[RANKS], keys[RANKS], splits, gpus[RANKS], pids[RANKS];
	char slots[RANKS][SLOT];
	struct { atomic_int length; char data[SLOT]; } mail[RANKS][RANKS];   /* length + 1 of a message's piece, 0 for none */
} shared;

typedef struct { int magic, rank, size; char name[128]; shared *all; } comm;

static __thread char problem[200];

static int bad(const char *what) { snprintf(problem, sizeof problem, "%s", what); return INVALID_ARGUMENT; }

API int ncclGetVersion(int *v) { *v = 22703; return OK; }
API const char *ncclGetErrorString(int code) {
	switch (code) {
	case INVALID_ARGUMENT: return "invalid argument";
	case INVALID_USAGE: return "invalid usage";
	case REMOTE_ERROR: return "remote process exited or there was a network error";
	}
	return "system error";
}
API const char *ncclGetLastError(void *c) { return problem; }

API int ncclGetUniqueId(id *out) {
	memset(out, 0, sizeof *out);
	strcpy(out->name, "/tmp/nccl-test-XXXXXX");
	int f = mkstemp(out->name);
	if (f < 0) return SYSTEM_ERROR;
	close(f);
	return OK;
}

static void meet(comm *c) {
	int round = atomic_load(&c->all->round);
	if (atomic_fetch_add(&c->all->came, 1) + 1 == c->size) {
		atomic_store(&c->all->came, 0);
		atomic_fetch_add(&c->all->round, 1);
		return;
	}
	while (atomic_load(&c->all->round) == round) sched_yield();
}

/* gpu is the GPU whose context is current, by the stand-in for the driver; -1 if there is none. */
static int gpu(void) {
	const char *path = getenv("CUTILE_LIBCUDA");
	void *driver = path ? dlopen(path, RTLD_NOW) : NULL;
	int (*get)(int *) = driver ? (int (*)(int *))dlsym(driver, "cuCtxGetDevice") : NULL, d = -1;
	return get && get(&d) == OK ? d : -1;
}

static int make(void **out, const char *name, int rank, int size) {
	if (size < 1 || size > RANKS || rank < 0 || rank >= size) return bad("rank");
	int f = open(name, O_RDWR | O_CREAT, 0600);
	if (f < 0 || ftruncate(f, sizeof(shared))) return SYSTEM_ERROR;
	comm *c = calloc(1, sizeof *c);
	c->magic = MAGIC, c->rank = rank, c->size = size;
	snprintf(c->name, sizeof c->name, "%s", name);
	c->all = mmap(0, sizeof(shared), PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
	close(f);
	if (c->all == MAP_FAILED) return SYSTEM_ERROR;
	c->all->gpus[rank] = gpu(), c->all->pids[rank] = getpid();
	meet(c);
	if (rank == 0) unlink(name);
	for (int i = 0; i < size; i++)
		if (i != rank && c->all->gpus[i] >= 0 && c->all->gpus[i] == c->all->gpus[rank]) {
			snprintf(problem, sizeof problem, "Duplicate GPU detected : rank %d and rank %d both on CUDA device %x", rank, i, c->all->gpus[i] << 12);
			return INVALID_USAGE;
		}
	*out = c;
	return OK;
}

API int ncclCommInitRankScalable(void **out, int size, int rank, int ids, id *first, void *config) {
	if (ids != 1 || config) return bad("ids or config");
	return make(out, first->name, rank, size);
}

#define COMM comm *c = h; if (!c || c->magic != MAGIC) return bad("communicator")
/* A stream of the stand-in for the driver: kind is 1, and at is negative while its work does not end. NCCL_TEST_NEVER makes calls queue such
 * work and return. */
typedef struct { int kind; int64_t at; } stream;
static int never(stream *s) { if (!getenv("NCCL_TEST_NEVER")) return 0; s->at = -1; return 1; }
#define STREAM if (!s || ((stream *)s)->kind != 1) return bad("stream"); if (never(s)) return OK
#define TYPED if (type < 0 || type > 9) return bad("type"); size_t size = sizes[type]
static const size_t sizes[] = { 1, 1, 4, 4, 8, 8, 2, 4, 8, 2 };

API int ncclCommCount(void *h, int *n) { COMM; *n = c->size; return OK; }
API int ncclCommUserRank(void *h, int *r) { COMM; *r = c->rank; return OK; }
API int ncclCommDestroy(void *h) { COMM; c->magic = 0; munmap(c->all, sizeof(shared)); free(c); return OK; }

/* A process that has ended is an error for the others, even one that has left: the caller must know whether it waits for it. */
API int ncclCommGetAsyncError(void *h, int *code) {
	COMM;
	*code = OK;
	for (int i = 0; i < c->size; i++)
		if (kill(c->all->pids[i], 0)) *code = REMOTE_ERROR;
	return OK;
}

API int ncclCommSplit(void *h, int color, int key, void **out, void *config) {
	COMM;
	if (color < 0 || config) return bad("color or config");
	c->all->colors[c->rank] = color, c->all->keys[c->rank] = key;
	meet(c);
	int rank = 0, size = 0;
	for (int i = 0; i < c->size; i++) {
		if (c->all->colors[i] != color) continue;
		size++;
		rank += c->all->keys[i] < key || (c->all->keys[i] == key && i < c->rank);
	}
	char name[160];
	snprintf(name, sizeof name, "%s.%d.%d", c->name, c->all->splits, color);
	meet(c);
	if (c->rank == 0) c->all->splits++;
	meet(c);
	return make(out, name, rank, size);
}

static float bf16(uint16_t x) { uint32_t u = (uint32_t)x << 16; float f; memcpy(&f, &u, 4); return f; }
static uint16_t to_bf16(float f) { uint32_t u; memcpy(&u, &f, 4); return (u + 0x7fff + (u >> 16 & 1)) >> 16; }

#define REDUCE(T) { \
		T *d = dst; const T *x = src; \
		for (size_t i = 0; i < n; i++) { \
			d[i] = op == 0 ? d[i] + x[i] : op == 1 ? d[i] * x[i] : op == 2 ? (d[i] > x[i] ? d[i] : x[i]) : (d[i] < x[i] ? d[i] : x[i]); \
		} \
	} break;

static void reduce(int type, int op, void *dst, const void *src, size_t n) {
	switch (type) {
	case 0: REDUCE(int8_t)
	case 1: REDUCE(uint8_t)
	case 2: REDUCE(int32_t)
	case 3: REDUCE(uint32_t)
	case 4: REDUCE(int64_t)
	case 5: REDUCE(uint64_t)
	case 6: REDUCE(_Float16)
	case 7: REDUCE(float)
	case 8: REDUCE(double)
	case 9: {
		uint16_t *d = dst; const uint16_t *x = src;
		for (size_t i = 0; i < n; i++) {
			float a = bf16(d[i]), b = bf16(x[i]);
			d[i] = to_bf16(op == 0 ? a + b : op == 1 ? a * b : op == 2 ? (a > b ? a : b) : (a < b ? a : b));
		}
	}
	}
}

/* together reduces n elements of all ranks, the last first, as NCCL's order is its own; those of rank `only` alone get them, or all if it is negative. */
static void together(comm *c, int type, int op, char *dst, const char *src, size_t n, int only) {
	size_t size = sizes[type], step = SLOT / size;
	for (size_t at = 0; at < n; at += step) {
		size_t k = n - at < step ? n - at : step;
		memcpy(c->all->slots[c->rank], src + at * size, k * size);
		meet(c);
		if (only < 0 || only == c->rank) {
			memcpy(dst + at * size, c->all->slots[c->size - 1], k * size);
			for (int i = c->size - 2; i >= 0; i--) reduce(type, op, dst + at * size, c->all->slots[i], k);
		}
		meet(c);
	}
}

#define REDUCTION COMM; STREAM; TYPED; if (op < 0 || op > 3) return bad("op"); if (!src || !dst) return bad("buffer"); (void)size

API int ncclAllReduce(const void *src, void *dst, size_t n, int type, int op, void *h, void *s) {
	REDUCTION;
	together(c, type, op, dst, src, n, -1);
	return OK;
}

API int ncclReduce(const void *src, void *dst, size_t n, int type, int op, int root, void *h, void *s) {
	COMM; STREAM; TYPED;
	if (op < 0 || op > 3 || root < 0 || root >= c->size) return bad("op or root");
	if (!src || (root == c->rank && !dst)) return bad("buffer");
	(void)size;
	together(c, type, op, dst, src, n, root);
	return OK;
}

API int ncclReduceScatter(const void *src, void *dst, size_t n, int type, int op, void *h, void *s) {
	REDUCTION;
	for (int i = 0; i < c->size; i++) together(c, type, op, dst, (const char *)src + i * n * size, n, i);
	return OK;
}

/* copies gives the n bytes of rank `root` to all. */
static void copies(comm *c, char *dst, const char *src, size_t n, int root) {
	for (size_t at = 0; at < n; at += SLOT) {
		size_t k = n - at < SLOT ? n - at : SLOT;
		if (root == c->rank) memcpy(c->all->slots[root], src + at, k);
		meet(c);
		memmove(dst + at, c->all->slots[root], k);
		meet(c);
	}
}

API int ncclAllGather(const void *src, void *dst, size_t n, int type, void *h, void *s) {
	COMM; STREAM; TYPED;
	if (!src || !dst) return bad("buffer");
	for (int i = 0; i < c->size; i++) copies(c, (char *)dst + i * n * size, src, n * size, i);
	return OK;
}

API int ncclBroadcast(const void *src, void *dst, size_t n, int type, int root, void *h, void *s) {
	COMM; STREAM; TYPED;
	if (!src || !dst || root < 0 || root >= c->size) return bad("buffer or root");
	copies(c, dst, src, n * size, root);
	return OK;
}

typedef struct { comm *c; char *at; size_t left; int peer, sends; } piece;
static __thread piece pieces[64];
static __thread int count, depth;

/* advance moves one piece of a message, if the other side is ready. */
static int advance(piece *p) {
	int me = p->c->rank, from = p->sends ? me : p->peer, to = p->sends ? p->peer : me;
	atomic_int *length = &p->c->all->mail[from][to].length;
	char *data = p->c->all->mail[from][to].data;
	int there = atomic_load(length);
	if (p->sends ? there != 0 : there == 0) return 0;
	size_t k = p->sends ? (p->left < SLOT ? p->left : SLOT) : (size_t)there - 1;
	if (k > p->left) abort();   /* a message that is too long */
	memcpy(p->sends ? data : p->at, p->sends ? p->at : data, k);
	atomic_store(length, p->sends ? (int)k + 1 : 0);
	p->at += k, p->left -= k;
	return 1;
}

API int ncclGroupStart(void) { depth++; return OK; }

API int ncclGroupEnd(void) {
	if (!depth) return INVALID_USAGE;
	if (--depth) return OK;
	for (int busy = 1; busy;) {
		busy = 0;
		for (int i = 0; i < count; i++)
			if (pieces[i].left) {
				busy = 1;
				if (!advance(&pieces[i])) sched_yield();
			}
	}
	count = 0;
	return OK;
}

static int message(void *buf, size_t n, int type, int peer, void *h, void *s, int sends) {
	COMM; STREAM; TYPED;
	if (!buf || peer < 0 || peer >= c->size || count == 64) return bad("buffer or peer");
	ncclGroupStart();
	pieces[count++] = (piece){ c, buf, n * size, peer, sends };
	return ncclGroupEnd();
}

API int ncclSend(const void *buf, size_t n, int type, int peer, void *h, void *s) { return message((void *)buf, n, type, peer, h, s, 1); }
API int ncclRecv(void *buf, size_t n, int type, int peer, void *h, void *s) { return message(buf, n, type, peer, h, s, 0); }
