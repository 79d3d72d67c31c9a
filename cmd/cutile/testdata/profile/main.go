// Command profile makes launches, copies and waits that TestProfileProgram knows, and then ends as its argument says.
package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed main.go
var source embed.FS
var _ = cutile.Module(source)

// scale is launched 7 times, and twice by each of 3 replays of a graph.
func scale[N tile.Dim](x tile.In[tile.F32T1[N]], by float32, z tile.Out[tile.F32T1[N]]) {
	z.Store(x.Load(tile.BlockID(0)) * tile.F32T1[N](by))
}

// add is launched 4 times.
func add[N tile.Dim](x, y tile.In[tile.F32T1[N]], z tile.Out[tile.F32T1[N]]) {
	z.Store(x.Load(tile.BlockID(0)) + y.Load(tile.BlockID(0)))
}

// bad does not compile.
func bad[N tile.Dim](x tile.In[tile.F32T1[N]], z tile.Out[tile.F32T1[N]]) {
	go z.Store(x.Load(tile.BlockID(0)))
}

// elems is how many elements the tensors have.
const elems = 4096

func work(ctx context.Context, dev *cutile.Device) error {
	x, err := cutile.FromSlice(dev, make([]float32, elems)) // a write
	if err != nil {
		return err
	}
	z, err := cutile.NewTensor[float32](dev, elems)
	if err != nil {
		return err
	}
	for range 7 {
		if err := cutile.Launch(ctx, dev, scale[tile.D64], x, 2, z); err != nil {
			return err
		}
	}
	if err := dev.Sync(ctx); err != nil {
		return err
	}
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	for range 4 {
		if err := cutile.Launch(ctx, s, add[tile.D128], x, x, z); err != nil {
			return err
		}
	}
	part, err := z.Narrow(0, 0, 1000).Slice() // a read
	if err != nil {
		return err
	}
	if err := z.Narrow(0, 0, 1000).Read(ctx, part); err != nil { // another one
		return err
	}
	if err := x.Copy(ctx, z); err != nil { // on the device
		return err
	}
	g, err := dev.Stream().Capture(func() error {
		return errors.Join(cutile.Launch(ctx, dev, scale[tile.D64], x, 2, z), cutile.Launch(ctx, dev, scale[tile.D64], x, 2, z))
	})
	if err != nil {
		return err
	}
	for range 3 {
		if err := g.Replay(dev.Stream()); err != nil {
			return err
		}
	}
	if err := dev.Sync(ctx); err != nil {
		return err
	}
	time.Sleep(20 * time.Millisecond) // the program's own work
	if err := cutile.Launch(ctx, dev, bad[tile.D64], x, z); err == nil {
		return errors.New("what does not compile was launched")
	}
	return nil
}

func main() {
	dev, err := cutile.Open("cpu")
	if err == nil {
		err = work(context.Background(), dev)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("done", os.Args[1:])
	if len(os.Args) > 1 {
		end(os.Args[1])
	}
}

// end ends the program.
func end(how string) {
	switch how {
	case "fails":
		os.Exit(7)
	case "killed":
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			self.Kill()
		}
		select {}
	case "hangs":
		time.Sleep(time.Hour)
	}
}
