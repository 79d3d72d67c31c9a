// Package cutile runs tile kernels written in Go, on the CPU or on an NVIDIA GPU.
//
// A kernel is an ordinary Go function over the types of package tile. The kernel's package embeds and registers its own
// source. At run time the function's source is specialised, compiled to CUDA Tile IR and run on the chosen device:
//
//	package main
//
//	//go:embed main.go
//	var source embed.FS
//	var _ = cutile.Module(source)
//
//	func add[B tile.Dim](x, y tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) {
//		i := z.Index(0)
//		z.Store(x.Load(i) + y.Load(i))
//	}
//
//	func main() {
//		ctx := context.Background()
//		dev, err := cutile.Open("") // a GPU if there is one, else the CPU
//		...
//		x, err := cutile.FromSlice(dev, []float32{1, 2, 3})
//		y, err := cutile.FromSlice(dev, []float32{4, 5, 6})
//		z, err := cutile.NewTensor[float32](dev, 3)
//		err = cutile.Launch(ctx, dev, add[tile.D1024], x, y, z)
//		fmt.Println(z.Slice()) // [5 7 9] <nil>
//	}
//
// # Launching
//
// [Launch] queues a kernel on a device's default stream, or on the [Stream] that it is given, and returns. The grid
// follows from the tensors that are passed as tile.Out; the method Grid chooses a different one: Launch(ctx,
// dev.Grid(8), …). Launch checks the arguments against the kernel's parameters before anything runs. The Go compiler
// checks the calls of [Launch1] to [Launch8], and of [Launch1With] to [Launch6With] for kernels with one more
// parameter. [Prepare] prepares a launch that is repeated often.
//
// A kernel is compiled when it is first launched, and again when a launch's arguments differ in the properties that the
// code depends on: alignment, extents and strides that are multiples of 16, and strides of 1. The process keeps the
// code until it exits.
//
// # Waiting
//
// Work on one stream runs in order. Work on several streams is ordered where it uses the same memory. [Tensor.Slice],
// [Tensor.Read], [Tensor.Item], [Device.Sync] and [Stream.Sync] wait for the work. They also return the errors of
// running kernels, such as a failed tile.Assert, with the block and the source line (which a GPU by CUDA prints instead).
package cutile

//go:generate go run ./internal/gen/typedgen typed_gen.go
