/* A library that gives and takes tensors by DLPack, for the tests. The structs are those of DLPack 1.0. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct { int32_t type, id; } device;
typedef struct { uint8_t code, bits; uint16_t lanes; } data_type;
typedef struct { void *data; device dev; int32_t ndim; data_type type; int64_t *shape, *strides; uint64_t byte_offset; } tensor;
typedef struct managed { tensor t; void *context; void (*deleter)(struct managed *); } managed;
typedef struct versioned { struct { uint32_t major, minor; } version; void *context; void (*deleter)(struct versioned *); uint64_t flags; tensor t; } versioned;

static float data[24];
static int64_t shape[2], strides[2];
static int deleted;
static versioned new_one;
static managed old_one;

int64_t deletions(void) { return deleted; }
float *elements(void) { return data; }
static void delete_new(versioned *v) { deleted += v == &new_one ? 1 : 1000; }
static void delete_old(managed *m) { deleted += m == &old_one ? 10 : 1000; }

/* A tensor of rows and columns with a stride between rows, behind 8 bytes of the data; a stride of 0 is none. */
static tensor make(int64_t rows, int64_t columns, int64_t stride, int64_t code, int64_t bits, int64_t type) {
	for (int i = 0; i < 24; i++) data[i] = i;
	shape[0] = rows, shape[1] = columns, strides[0] = stride, strides[1] = 1;
	tensor t = {data, {(int32_t)type, 0}, 2, {(uint8_t)code, (uint8_t)bits, 1}, shape, stride ? strides : NULL, 8};
	return t;
}
versioned *give(int64_t rows, int64_t columns, int64_t stride, int64_t flags, int64_t code, int64_t bits, int64_t type, int64_t major) {
	versioned v = {{(uint32_t)major, 2}, NULL, delete_new, (uint64_t)flags, make(rows, columns, stride, code, bits, type)};
	new_one = v;
	return &new_one;
}
managed *give_old(int64_t rows, int64_t columns, int64_t stride) {
	managed m = {make(rows, columns, stride, 2, 32, 1), NULL, delete_old};
	old_one = m;
	return &old_one;
}

/* The sum of the elements, float32 of any shape, which are doubled unless they are read-only; -1 for what it does not take. */
static int64_t sum(tensor *t, int write) {
	if (t->dev.type != 1 || t->type.code != 2 || t->type.bits != 32 || t->type.lanes != 1 || t->ndim > 8) return -1;
	int64_t at[8] = {0}, all = 0, n = 1;
	for (int i = 0; i < t->ndim; i++) n *= t->shape[i];
	for (int64_t k = 0; k < n; k++) {
		int64_t off = 0, rest = k;
		for (int i = t->ndim - 1; i >= 0; i--) off += rest % t->shape[i] * t->strides[i], rest /= t->shape[i];
		float *p = (float *)((char *)t->data + t->byte_offset) + off;
		all += (int64_t)*p;
		if (write) *p *= 2;
	}
	return all;
}
int64_t take(versioned *v) {
	if (v->version.major != 1) return -2;
	int64_t all = sum(&v->t, !(v->flags & 1));
	v->deleter(v);
	return all;
}
int64_t take_old(managed *m) {
	int64_t all = sum(&m->t, 1);
	m->deleter(m);
	return all;
}
