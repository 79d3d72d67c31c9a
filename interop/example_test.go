package interop_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/interop"
	"github.com/cutile-go/cutile/tile"
)

// square is what a compiler made of
//
//	extern "C" __global__ void square(float *x, int n) {
//		int i = blockIdx.x * blockDim.x + threadIdx.x;
//		if (i < n) x[i] *= x[i];
//	}
const square = `
.version 7.0
.target sm_75
.address_size 64
.visible .entry square(.param .u64 x, .param .u32 count)
{
	.reg .pred p;
	.reg .b32 i, t, b, n;
	.reg .f32 v;
	.reg .b64 at, off;
	ld.param.u64 at, [x];
	ld.param.u32 n, [count];
	mov.u32 b, %ctaid.x;
	mov.u32 t, %ntid.x;
	mov.u32 i, %tid.x;
	mad.lo.s32 i, b, t, i;
	setp.ge.s32 p, i, n;
	@p ret;
	mul.wide.s32 off, i, 4;
	add.s64 at, at, off;
	ld.global.f32 v, [at];
	mul.f32 v, v, v;
	st.global.f32 [at], v;
	ret;
}`

// A kernel of CUDA C++ runs on the stream of tile kernels, between two of them.
func ExampleLoadModule() {
	ctx := context.Background()
	dev, err := cutile.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	module, err := interop.LoadModule(ctx, dev, []byte(square))
	if err != nil {
		log.Fatal(err)
	}
	kernel, err := module.Kernel("square")
	if err != nil {
		log.Fatal(err)
	}

	x, _ := cutile.Arange[float32](dev, 0, 5, 1)
	y, _ := cutile.NewTensor[float32](dev, 5)
	z, _ := cutile.NewTensor[float32](dev, 5)
	if err := cutile.Launch(ctx, dev, twice[tile.D4], x, y); err != nil {
		log.Fatal(err)
	}
	if err := kernel.Launch(dev.Stream(), interop.Config{Grid: [3]int{1}, Block: [3]int{128}}, y, int32(5)); err != nil {
		log.Fatal(err)
	}
	if err := cutile.Launch(ctx, dev, twice[tile.D4], y, z); err != nil {
		log.Fatal(err)
	}
	fmt.Println(z)
	// Output: [  0.   8.  32.  72. 128.]
}
