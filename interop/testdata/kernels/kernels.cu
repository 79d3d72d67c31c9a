// Kernels of tests. README.md says what made the other files of them.
#include <cuda_fp16.h>

struct Affine { float scale; short shift; double limit; };
struct Shape { const float *x; float *y; int n[2]; bool twice; };

extern "C" __global__ void saxpy(float *y, const float *x, float a, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) y[i] += a * x[i];
}

extern "C" __global__ void affine(Affine p, signed char add, float *y, long long n) {
	for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		double v = double(y[i]) * p.scale + p.shift + add;
		y[i] = v > p.limit ? float(p.limit) : float(v);
	}
}

// Pointers in a struct.
extern "C" __global__ void shaped(Shape s) {
	int i = threadIdx.x, j = threadIdx.y;
	if (i < s.n[1] && j < s.n[0]) s.y[i * s.n[0] + j] = s.x[j * s.n[1] + i] * (s.twice ? 2 : 1);
}

// Static and dynamic shared memory, shuffles, an atomic: the sum of a block's elements.
extern "C" __global__ void __launch_bounds__(256) sum(float *total, const float *x, int n) {
	extern __shared__ float values[];
	__shared__ float warps[8];
	int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
	values[t] = i < n ? x[i] : 0;
	__syncthreads();
	float v = values[blockDim.x - 1 - t];
	for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
	if (t % 32 == 0) warps[t / 32] = v;
	__syncthreads();
	if (t == 0) {
		for (int w = 1; w < (blockDim.x + 31) / 32; w++) v += warps[w];
		atomicAdd(total, v);
	}
}

// A template, half precision, approximate functions.
template <typename T, int N> __device__ T poly(T x, const T *c) {
	T v = c[N - 1];
	for (int i = N - 2; i >= 0; i--) v = v * x + c[i];
	return v;
}
__constant__ float coefficients[4] = {1, 0.5f, 0.25f, 0.125f};
extern "C" __global__ void halves(__half *y, const __half *x, __half bias, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) y[i] = __float2half(poly<float, 4>(__half2float(x[i]), coefficients)) + bias;
}

// A matrix product through tiles in shared memory.
extern "C" __global__ void product(float *c, const float *a, const float *b, int m, int n, int k) {
	__shared__ float as[16][17], bs[16][17];
	int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
	float v = 0;
	for (int p = 0; p < k; p += 16) {
		as[threadIdx.y][threadIdx.x] = row < m && p + threadIdx.x < k ? a[row * k + p + threadIdx.x] : 0;
		bs[threadIdx.y][threadIdx.x] = col < n && p + threadIdx.y < k ? b[(p + threadIdx.y) * n + col] : 0;
		__syncthreads();
		for (int q = 0; q < 16; q++) v += as[threadIdx.y][q] * bs[q][threadIdx.x];
		__syncthreads();
	}
	if (row < m && col < n) c[row * n + col] = v;
}

// It keeps what it counts from one launch to the next.
__device__ int launches;
extern "C" __global__ void count(int *out) { *out = ++launches; }

// It stores outside of its tensor if n is too large.
extern "C" __global__ void fill(int *y, int n) {
	for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = i;
}

// A name that C++ mangles.
__global__ void sizes(char a, short b, int c, long long d, float3 v, float *y) { y[threadIdx.x] = a + b + c + d + v.x + v.y + v.z; }
