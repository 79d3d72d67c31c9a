package cute

// Copy copies the elements of src to dst, which have the same static size, in the order of coordinates. Neighbours that are
// laid out alike in both and have a known alignment are copied in accesses of up to 128 bits.
func Copy[T Elem](src, dst Tensor[T]) { copyElements(src, dst) }

// CopyIf is [Copy] of those elements whose predicate, at the same coordinate, is true. The others stay as they are. A mode of
// the predicates with the stride 0 has one predicate for all its elements.
func CopyIf[T Elem](pred Tensor[bool], src, dst Tensor[T]) { copyElements(src, dst, pred) }

// AutovecCopy is [Copy]; the name documents that vector accesses are expected.
func AutovecCopy[T Elem](src, dst Tensor[T]) { copyElements(src, dst) }

//cutile:intrinsic copy
func copyElements[T Elem](src, dst Tensor[T], pred ...Tensor[bool]) { panic(deviceOnly) }

// CpAsync starts copying the elements of a tensor in global memory to one in shared memory. Both have the same static size and
// lay out at least 4 bytes alike; see [CpAsyncCommit] and [CpAsyncWait]. Zero is written for elements whose predicate is false.
// It needs sm_80.
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

// Overlay returns the memory of a tensor in shared memory, from a byte offset on, as another tensor. The offset is a multiple
// of the element's size. It is for data that uses the same memory at different times, or for the fields of a struct.
//
//cutile:intrinsic overlay
func Overlay[T, From Elem](t Tensor[From], offset int, l Layout) Tensor[T] { panic(deviceOnly) }

// PrintTensor prints a tensor at run time: type, layout and elements by rows, with a line for each coordinate of the modes
// after the second. Every thread that reaches it prints. A tensor in registers has a static size and is printed without a loop.
func PrintTensor[T Elem](t Tensor[T]) {
	Printf("tensor %v:\n", t.Layout())
	printModes(t)
}

// PrintTensorVerbose prints a tensor at run time, one element with its coordinate on each line.
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
