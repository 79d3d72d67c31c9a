/* Doubles 0, 1, 2 ... with an exported kernel, and prints the result. The argument is the folder. */
#include <stdio.h>
#include <stdlib.h>
#include "kernels.h"

#define N 64
#define DO(call) do { CUresult r = (call); if (r != CUDA_SUCCESS) { printf("%s: %d\n", #call, (int)r); return 1; } } while (0)

int main(int argc, char **argv)
{
	char name[4096];
	static char image[1 << 20];
	float x[N], z[N];
	CUdevice dev;
	CUcontext ctx;
	CUmodule module;
	CUfunction f;
	cutile_test_doubled_D16_args a = {0};
	size_t i, n;
	const cutile_code *code = cutile_test_doubled_D16_code(&n);
	FILE *file;

	if (argc != 2 || n < 1)
		return 2;
	snprintf(name, sizeof name, "%s/%s", argv[1], code->file);
	file = fopen(name, "rb");
	if (!file || fread(image, 1, sizeof image - 1, file) == 0)
		return 3;
	fclose(file);
	DO(cuInit(0));
	DO(cuDeviceGet(&dev, 0));
	DO(cuDevicePrimaryCtxRetain(&ctx, dev));
	DO(cuCtxSetCurrent(ctx));
	DO(cuModuleLoadDataEx(&module, image, 0, NULL, NULL));
	DO(cuModuleGetFunction(&f, module, code->symbol));
	DO(cuMemAlloc(&a.x, sizeof x));
	DO(cuMemAlloc(&a.z, sizeof z));
	for (i = 0; i < N; i++)
		x[i] = (float)i;
	DO(cuMemcpyHtoD(a.x, x, sizeof x));
	a.x_len0 = a.z_len0 = N;
	a.x_stride0 = a.z_stride0 = 1;
	DO(cutile_test_doubled_D16_launch(f, code, NULL, &a));
	DO(cuMemcpyDtoH(z, a.z, sizeof z));
	for (i = 0; i < N; i++)
		printf("%g ", z[i]);

	/* What the code was not made for is refused. */
	a.x += 4;
	printf("\n%d ", cutile_test_doubled_D16_launch(f, code, NULL, &a));
	a.x -= 4;
	a.z_len0 = 63;
	printf("%d ", cutile_test_doubled_D16_launch(f, code, NULL, &a));
	a.z_len0 = N;
	a.x_stride0 = 2;
	printf("%d ", cutile_test_doubled_D16_launch(f, code, NULL, &a));
	a.x_stride0 = 1;
	a.x_len0 = -16;
	printf("%d ", cutile_test_doubled_D16_launch(f, code, NULL, &a));
	printf("%d ", cutile_test_doubled_D16_launch(f, code, NULL, NULL));
	printf("%d ", cutile_test_doubled_D16_launch(NULL, code, NULL, &a));
	a.x_len0 = N;
	a.z_len0 = 0;
	printf("%d\n", cutile_test_doubled_D16_launch(f, code, NULL, &a)); /* no blocks */
	return 0;
}
