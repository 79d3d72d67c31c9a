// Package tiletest helps programs to test their kernels.
//
// [Slices] and [Tensors] compare results within a [Tolerance] and report how many elements are wrong, which is the worst, and how
// wrong it is. [Values] and [Mixed] make random arguments, with special numbers among them; they depend on a seed alone.
// [Golden] compares with a .npy file in the folder testdata, which NumPy can write as well. [Each] runs a test on every engine
// that the machine has: each level of machine code of the CPU engine, its interpreter, the device with checks, which also changes the
// order of blocks, and the GPUs.
//
//	func TestAdd(t *testing.T) {
//		tiletest.Each(t, func(t *testing.T, dev *cutile.Device) {
//			x, y := tiletest.Mixed[float32](1, 1000), tiletest.Mixed[float32](2, 1000)
//			want := make([]float32, len(x))
//			for i := range want {
//				want[i] = x[i] + y[i]
//			}
//			z := tiletest.Zeros[float32](t, dev, 1000)
//			err := cutile.Launch(t.Context(), dev, add[tile.D64], tiletest.New(t, dev, x), tiletest.New(t, dev, y), z)
//			if err != nil {
//				t.Fatal(err)
//			}
//			tiletest.Tensors(t, z, tiletest.New(t, dev, want), tiletest.Tolerance{ULP: 1})
//		})
//	}
package tiletest
