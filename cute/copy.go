package cute

// Copy copies the elements of src to dst, which have one static size: the elements at each place in the order of
// coordinates. Neighbours that both lay out alike, whose alignment is known, go in accesses of up to 128 bits.
func Copy[T Elem](src, dst Tensor[T]) { copyElements(src, dst) }

// CopyIf is [Copy] of those elements whose predicate, at the same coordinate, holds. Others stay as they are. A mode of
// the predicates may have the stride 0: one for all.
func CopyIf[T Elem](pred Tensor[bool], src, dst Tensor[T]) { copyElements(src, dst, pred) }

// AutovecCopy is [Copy]; the name says that vectors are expected.
func AutovecCopy[T Elem](src, dst Tensor[T]) { copyElements(src, dst) }

//cutile:intrinsic copy
func copyElements[T Elem](src, dst Tensor[T], pred ...Tensor[bool]) { panic(deviceOnly) }

// CpAsync starts copying the elements of a tensor in global memory to one in shared memory. Both have one static size and
// lay out at least 4 bytes alike; see [CpAsyncCommit] and [CpAsyncWait]. Of elements whose predicate does not hold zero is
// written. It needs sm_80.
func CpAsync[T Elem](src, dst Tensor[T], pred ...Tensor[bool]) { cpAsync(src, dst, pred...) }

//cutile:intrinsic cpasync
func cpAsync[T Elem](src, dst Tensor[T], pred ...Tensor[bool]) { panic(deviceOnly) }

// Fill writes a number to all elements of a tensor of static size.
func Fill[T Elem](t Tensor[T], v T) { t.Fill(v) }

// Clear writes zero to all elements of a tensor of static size.
func Clear[T Elem](t Tensor[T]) {
	var zero T
	t.Fill(zero)
}

// Overlay is memory of a tensor in shared memory as another tensor, from a byte offset on, which a multiple of the
// element's size: for what lives one after the other in one place, or beside one another in a struct.
//
//cutile:intrinsic overlay
func Overlay[T, From Elem](t Tensor[From], offset int, l Layout) Tensor[T] { panic(deviceOnly) }

// PrintTensor prints a tensor at run time: type, layout and elements by rows, a line for each coordinate of the modes
// behind the second. Every thread that gets there prints. A tensor in registers has static size and is printed without a loop.
func PrintTensor[T Elem](t Tensor[T]) {
	Printf("tensor %v:\n", t.Layout())
	printModes(t)
}

// PrintTensorVerbose prints a tensor at run time, an element a line with its coordinate.
func PrintTensorVerbose[T Elem](t Tensor[T]) {
	Printf("tensor %v:\n", t.Layout())
	each(t, t.Size(), func(i int) { Printf("%v = %v\n", IdxToCrd(i, t.Shape()), t.At(i)) })
}

func printModes[T Elem](t Tensor[T]) {
	switch t.Rank() {
	case 1:
		printRow(t)
	case 2:
		each(t, t.Size(0), func(i int) { printRow(t.Slice(I(i), All)) })
	default:
		t = GroupModes(t, 2, t.Rank())
		each(t, t.Size(2), func(k int) {
			Printf("at (_,_,%v):\n", k)
			printModes(t.Slice(All, All, I(k)))
		})
	}
}

func printRow[T Elem](t Tensor[T]) {
	each(t, t.Size(), func(i int) { Printf(" %v", t.At(i)) })
	Printf("\n")
}

// each calls f for the coordinates below n of a tensor. Registers have no dynamic coordinates: their loop is unrolled.
func each[T Elem](t Tensor[T], n int, f func(i int)) {
	if inRegisters(t) {
		for i := range Unroll(n) {
			f(i)
		}
		return
	}
	for i := range n {
		f(i)
	}
}

//cutile:intrinsic inregisters
func inRegisters[T Elem](t Tensor[T]) bool { return false }
