package cute_test

import "github.com/cutile-go/cutile/cute"

// early has many returns inside of branches, each of which makes the rest of the function a branch.
func early(v float32) float32 {
	if v > 100 {
		return v - 0
	}
	v = v*1 + 1
	if v > 99 {
		return v - 1
	}
	v = v*2 + 1
	if v > 98 {
		return v - 2
	}
	v = v*3 + 1
	if v > 97 {
		return v - 3
	}
	v = v*4 + 1
	if v > 96 {
		return v - 4
	}
	v = v*5 + 1
	if v > 95 {
		return v - 5
	}
	v = v*1 + 1
	if v > 94 {
		return v - 6
	}
	v = v*2 + 1
	if v > 93 {
		return v - 7
	}
	v = v*3 + 1
	if v > 92 {
		return v - 8
	}
	v = v*4 + 1
	if v > 91 {
		return v - 9
	}
	v = v*5 + 1
	if v > 90 {
		return v - 10
	}
	v = v*1 + 1
	if v > 89 {
		return v - 11
	}
	v = v*2 + 1
	if v > 88 {
		return v - 12
	}
	v = v*3 + 1
	if v > 87 {
		return v - 13
	}
	v = v*4 + 1
	if v > 86 {
		return v - 14
	}
	v = v*5 + 1
	if v > 85 {
		return v - 15
	}
	v = v*1 + 1
	if v > 84 {
		return v - 16
	}
	v = v*2 + 1
	if v > 83 {
		return v - 17
	}
	v = v*3 + 1
	if v > 82 {
		return v - 18
	}
	v = v*4 + 1
	if v > 81 {
		return v - 19
	}
	v = v*5 + 1
	if v > 80 {
		return v - 20
	}
	v = v*1 + 1
	if v > 79 {
		return v - 21
	}
	v = v*2 + 1
	if v > 78 {
		return v - 22
	}
	v = v*3 + 1
	if v > 77 {
		return v - 23
	}
	v = v*4 + 1
	if v > 76 {
		return v - 24
	}
	v = v*5 + 1
	if v > 75 {
		return v - 25
	}
	v = v*1 + 1
	if v > 74 {
		return v - 26
	}
	v = v*2 + 1
	if v > 73 {
		return v - 27
	}
	v = v*3 + 1
	if v > 72 {
		return v - 28
	}
	v = v*4 + 1
	if v > 71 {
		return v - 29
	}
	v = v*5 + 1
	if v > 70 {
		return v - 30
	}
	v = v*1 + 1
	if v > 69 {
		return v - 31
	}
	v = v*2 + 1
	if v > 68 {
		return v - 32
	}
	v = v*3 + 1
	if v > 67 {
		return v - 33
	}
	v = v*4 + 1
	if v > 66 {
		return v - 34
	}
	v = v*5 + 1
	if v > 65 {
		return v - 35
	}
	v = v*1 + 1
	if v > 64 {
		return v - 36
	}
	v = v*2 + 1
	if v > 63 {
		return v - 37
	}
	v = v*3 + 1
	if v > 62 {
		return v - 38
	}
	v = v*4 + 1
	if v > 61 {
		return v - 39
	}
	v = v*5 + 1
	if v > 60 {
		return v - 40
	}
	v = v*1 + 1
	if v > 59 {
		return v - 41
	}
	v = v*2 + 1
	if v > 58 {
		return v - 42
	}
	v = v*3 + 1
	if v > 57 {
		return v - 43
	}
	v = v*4 + 1
	if v > 56 {
		return v - 44
	}
	v = v*5 + 1
	if v > 55 {
		return v - 45
	}
	v = v*1 + 1
	if v > 54 {
		return v - 46
	}
	v = v*2 + 1
	if v > 53 {
		return v - 47
	}
	v = v*3 + 1
	if v > 52 {
		return v - 48
	}
	v = v*4 + 1
	if v > 51 {
		return v - 49
	}
	v = v*5 + 1
	if v > 50 {
		return v - 50
	}
	v = v*1 + 1
	if v > 49 {
		return v - 51
	}
	v = v*2 + 1
	if v > 48 {
		return v - 52
	}
	v = v*3 + 1
	if v > 47 {
		return v - 53
	}
	v = v*4 + 1
	if v > 46 {
		return v - 54
	}
	v = v*5 + 1
	if v > 45 {
		return v - 55
	}
	v = v*1 + 1
	if v > 44 {
		return v - 56
	}
	v = v*2 + 1
	if v > 43 {
		return v - 57
	}
	v = v*3 + 1
	if v > 42 {
		return v - 58
	}
	v = v*4 + 1
	if v > 41 {
		return v - 59
	}
	v = v*5 + 1
	return v
}

// ordinary is a function of some hundred lines, if its helper counts where it is called.
func ordinary(x cute.Tensor[float32]) (_ cute.Kernel) {
	i := cute.ThreadIdx().X
	v := x.At(i)
	for range i {
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
		v = early(v)
	}
	x.Set(v, i)
	return
}

func runOrdinary(x cute.Tensor[float32]) error {
	ordinary(x).Launch(grid(x.Size()))
	return nil
}
