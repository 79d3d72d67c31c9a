// Kernels of tests whose blocks wait for each other. README.md says what made the other files of them.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// rotate moves the elements of x a round at a time: each thread takes its neighbour's, which mostly another block wrote the round before.
extern "C" __global__ void rotate(int *x, int *y, int rounds) {
	cg::grid_group grid = cg::this_grid();
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
	for (int r = 0; r < rounds; r++) {
		y[i] = x[(i + blockDim.x) % n] + 1;
		grid.sync();
		int *z = x;
		x = y, y = z;
	}
}

// split does other work between its arrival and its wait.
extern "C" __global__ void split(int *x, int *y) {
	cg::grid_group grid = cg::this_grid();
	unsigned i = grid.thread_rank();
	x[i] = 3 * i;
	auto token = grid.barrier_arrive();
	int own = i * 100;
	grid.barrier_wait(static_cast<cg::grid_group::arrival_token &&>(token));
	y[i] = own + x[grid.num_threads() - 1 - i];
}

// valid asks whether the grid can wait, and goes without where it cannot.
extern "C" __global__ void valid(int *y) {
	cg::grid_group grid = cg::this_grid();
	if (grid.is_valid()) {
		grid.sync();
		y[grid.thread_rank()] = 1;
	} else {
		y[grid.thread_rank()] = 2;
	}
}

// lonely lets the last block end without waiting for the others.
extern "C" __global__ void lonely(int *y) {
	if (blockIdx.x == gridDim.x - 1) {
		return;
	}
	cg::this_grid().sync();
	y[blockIdx.x] = 1;
}

// racy forgets to wait.
extern "C" __global__ void racy(int *x, int *y) {
	cg::grid_group grid = cg::this_grid();
	x[grid.thread_rank()] = 1;
	if (grid.size() == 0) {
		grid.sync();
	}
	y[grid.thread_rank()] = x[grid.num_threads() - 1 - grid.thread_rank()];
}
