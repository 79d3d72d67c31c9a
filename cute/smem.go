package cute

// Alloc takes shared memory for a tensor of a static layout, aligned to a number of bytes (0 for 16). The launch provides
// for what the kernel takes, see [Launch.Smem].
//
//cutile:intrinsic smem
func Alloc[T Elem](l Layout, align int) Tensor[T] { panic(deviceOnly) }

// SmemBytes is what the kernel has taken so far.
//
//cutile:intrinsic smemsize
func SmemBytes() int { panic(deviceOnly) }
