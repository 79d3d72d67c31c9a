package parallel

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/dtype"
)

// digest shortens a sha256.
func digest(sum []byte) int64 { return int64(binary.LittleEndian.Uint64(sum)) }

// gather exchanges numbers, of which each process has the same quantity: row i is that of rank i.
func gather[E dtype.Elem](ctx context.Context, g *dist.Group, own []E) (rows [][]E, err error) {
	src, err := device.FromSlice(g.Device(), own)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	dst, err := device.NewTensor[E](g.Device(), len(own)*g.Size())
	if err != nil {
		return nil, err
	}
	defer dst.Close()
	if err := dist.AllGather(ctx, g, dst, src); err != nil {
		return nil, err
	}
	all := make([]E, dst.Len())
	if err := dst.Read(ctx, all); err != nil {
		return nil, err
	}
	for len(all) > 0 {
		rows, all = append(rows, all[:len(own)]), all[len(own):]
	}
	return rows, nil
}

// agree compares lines of text between processes. All of them get the same error, which names the first line that differs.
func agree(ctx context.Context, g *dist.Group, lines []string) error {
	if g.Size() == 1 {
		return nil
	}
	counts, err := gather(ctx, g, []int64{int64(len(lines))})
	if err != nil {
		return err
	}
	most := int64(0)
	for _, c := range counts {
		most = max(most, c[0])
	}
	digests := make([]int64, most)
	for i, line := range lines {
		sum := sha256.Sum256([]byte(line))
		digests[i] = digest(sum[:])
	}
	rows, err := gather(ctx, g, digests)
	if err != nil {
		return err
	}
	for i := range digests {
		for _, row := range rows {
			if row[i] != rows[0][i] {
				return differ(ctx, g, lines, i)
			}
		}
	}
	return nil
}

// differ makes the error of a line that differs.
func differ(ctx context.Context, g *dist.Group, lines []string, i int) error {
	var text [200]byte // enough for all but the longest names
	if i < len(lines) {
		copy(text[:], lines[i])
	}
	rows, err := gather(ctx, g, text[:])
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("the processes differ")
	before := ""
	for rank, row := range rows {
		line := strings.TrimRight(string(row), "\x00")
		if line == "" {
			line = "no more parameters"
		}
		if rank == 0 || line != before {
			fmt.Fprintf(&b, "; from rank %d on: %s", rank, line)
		}
		before = line
	}
	b.WriteString(": call it in all processes with the same arguments")
	return errors.New(b.String())
}

// Replicate copies tensors of rank 0 to all processes of a group: parameters, before the first step, and what the optimiser remembers, after a
// restart. All processes must call it with tensors of the same shapes, which must be contiguous. It does not wait for the copies.
func Replicate[E dtype.Elem](ctx context.Context, g *dist.Group, tensors ...*device.Tensor[E]) error {
	lines, err := describe(ctx, g, tensors)
	if err == nil {
		err = agree(ctx, g, lines)
	}
	for i := 0; i < len(tensors) && err == nil; i++ {
		err = dist.Broadcast(ctx, g, 0, tensors[i])
	}
	if err != nil {
		return fmt.Errorf("parallel: Replicate: %w", err)
	}
	return nil
}

// describe gives a line for each tensor, for agree.
func describe[E dtype.Elem](ctx context.Context, g *dist.Group, tensors []*device.Tensor[E]) (lines []string, err error) {
	if err := device.CheckContext(ctx); err != nil {
		return nil, err
	}
	if g.Device() == nil {
		return nil, errors.New("the group is nil: use the one that dist.Join returns")
	}
	for i, t := range tensors {
		switch u := t.Untyped(); {
		case u == nil:
			return nil, fmt.Errorf("tensor %d is nil", i)
		case u.Err != nil:
			return nil, fmt.Errorf("tensor %d: %w", i, u.Err)
		case t.Device() != g.Device():
			return nil, fmt.Errorf("tensor %d is on another device than the group: move it there", i)
		}
		lines = append(lines, fmt.Sprintf("tensor %d %v of %v", i, t.Shape(), dtype.Of[E]()))
	}
	return lines, nil
}

// CheckReplicas compares tensors between the processes of a group, bit by bit, by checksums. Where they differ, all processes get an error that names
// the first tensor and the processes. All processes must call it with as many tensors. It waits, and reads all elements: call it now and then, not
// in each step. Copies that started alike differ if one step of a process went wrong, or if processes have different hardware.
func CheckReplicas[E dtype.Elem](ctx context.Context, g *dist.Group, tensors ...*device.Tensor[E]) error {
	if err := checkReplicas(ctx, g, tensors); err != nil {
		return fmt.Errorf("parallel: CheckReplicas: %w", err)
	}
	return nil
}

func checkReplicas[E dtype.Elem](ctx context.Context, g *dist.Group, tensors []*device.Tensor[E]) error {
	lines, err := describe(ctx, g, tensors)
	if err == nil {
		err = agree(ctx, g, lines)
	}
	if err != nil || len(tensors) == 0 {
		return err
	}
	sums := make([]int64, len(tensors))
	for i, t := range tensors {
		hash := sha256.New()
		if _, err := t.WriteTo(hash); err != nil {
			return fmt.Errorf("tensor %d: %w", i, err)
		}
		sums[i] = digest(hash.Sum(nil))
	}
	rows, err := gather(ctx, g, sums)
	if err != nil {
		return err
	}
	for i := range sums {
		var others []string
		for rank, row := range rows {
			if row[i] != rows[0][i] {
				others = append(others, fmt.Sprint(rank))
			}
		}
		if others != nil {
			return fmt.Errorf("%s differs from that of rank 0 in rank %s: start with Replicate, and change it alike in all processes",
				lines[i], strings.Join(others, ", "))
		}
	}
	return nil
}
