package cute

// Alloc allocates shared memory for a tensor with a static layout, aligned to a number of bytes (0 for 16). The launch provides
// the memory that the kernel allocates; see [Launch.Smem].
//
//cutile:intrinsic smem
func Alloc[T Elem](l Layout, align int) Tensor[T] { panic(deviceOnly) }

// SmemBytes returns how many bytes of shared memory the kernel has allocated so far.
//
//cutile:intrinsic smemsize
func SmemBytes() int { panic(deviceOnly) }
