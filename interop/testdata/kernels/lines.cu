// A kernel of tests whose PTX has the lines of its source. README.md says what made it.
extern "C" __global__ void fill(int *y, int n) {
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		y[i] = i;
}
