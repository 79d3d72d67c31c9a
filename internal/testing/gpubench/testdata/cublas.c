// A stand-in for cuBLAS that works on the program's own memory, with the prototypes of cublas_api.h, whose enumerations are ints. It refuses
// arguments that cuBLAS refuses, and elements and sums of other types than the test's.
#include <stdint.h>
#include <string.h>

#define API __attribute__((visibility("default")))

enum { SUCCESS = 0, NOT_INITIALIZED = 1, INVALID_VALUE = 7, NOT_SUPPORTED = 15 };
enum { OP_N = 0, OP_T = 1, R_16F = 2, COMPUTE_32F = 68, GEMM_DEFAULT = -1 };

struct handle { int magic; };
static struct handle only;

static int bad(const void *h) { return h != &only || only.magic != 0x626c6173; }

API int cublasCreate_v2(struct handle **h) {
	only.magic = 0x626c6173;
	*h = &only;
	return SUCCESS;
}

API int cublasDestroy_v2(struct handle *h) {
	if (bad(h)) return NOT_INITIALIZED;
	only.magic = 0;
	return SUCCESS;
}

API int cublasGetVersion_v2(struct handle *h, int *version) {
	if (bad(h)) return NOT_INITIALIZED;
	*version = 130400;
	return SUCCESS;
}

// Normal numbers and zeros are all that the test has.
static float from16(uint16_t x) {
	uint32_t bits = (uint32_t)(x & 0x8000) << 16;
	if (x & 0x7fff) bits |= ((uint32_t)(x & 0x7fff) << 13) + (112u << 23);
	float f;
	memcpy(&f, &bits, 4);
	return f;
}

static uint16_t to16(float f) {
	uint32_t bits;
	memcpy(&bits, &f, 4);
	uint32_t rest = bits & 0x7fffffff;
	if (rest < 113u << 23) return bits >> 16 & 0x8000;
	rest += 0xfff + (rest >> 13 & 1); // to the nearest one, ties to even
	return (bits >> 16 & 0x8000) | ((rest - (112u << 23)) >> 13);
}

// Element (i, j) of a matrix that lies in columns.
static float at(const uint16_t *x, int ld, int op, int i, int j) {
	return op == OP_N ? from16(x[i + (int64_t)j * ld]) : from16(x[j + (int64_t)i * ld]);
}

static int rows(int op, int m, int n) { return op == OP_N ? m : n; }

API int cublasGemmEx(struct handle *h, int transa, int transb, int m, int n, int k, const void *alpha, const void *a, int atype, int lda,
	const void *b, int btype, int ldb, const void *beta, void *c, int ctype, int ldc, int compute, int algo) {
	if (bad(h)) return NOT_INITIALIZED;
	if (transa < 0 || transa > 1 || transb < 0 || transb > 1 || m < 0 || n < 0 || k < 0 || !alpha || !beta) return INVALID_VALUE;
	if (lda < rows(transa, m, k) || ldb < rows(transb, k, n) || ldc < m) return INVALID_VALUE;
	if (atype != R_16F || btype != R_16F || ctype != R_16F || compute != COMPUTE_32F || algo != GEMM_DEFAULT) return NOT_SUPPORTED;
	const float by = *(const float *)alpha, keep = *(const float *)beta;
	uint16_t *out = c;
	for (int j = 0; j < n; j++)
		for (int i = 0; i < m; i++) {
			float sum = 0;
			for (int x = 0; x < k; x++) sum += at(a, lda, transa, i, x) * at(b, ldb, transb, x, j);
			uint16_t *e = &out[i + (int64_t)j * ldc];
			*e = to16(keep == 0 ? by * sum : by * sum + keep * from16(*e));
		}
	return SUCCESS;
}
