// Kernels of tests that need sm_90. README.md says what made the other files of them.
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(64, 1) ranks(int *y) {
	unsigned rank, size;
	asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
	y[blockIdx.x * blockDim.x + threadIdx.x] = size * 100 + rank;
}
extern "C" __global__ void any(int *y) {
	unsigned rank, size;
	asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
	y[blockIdx.x * blockDim.x + threadIdx.x] = size * 100 + rank;
}
