module github.com/cutile-go/cutile/examples/apps

go 1.26.0

require (
	github.com/cutile-go/cutile v0.0.0
	github.com/cutile-go/cutile/models v0.0.0
	github.com/schollz/progressbar/v3 v3.19.1
	go.etcd.io/bbolt v1.5.0
)

require (
	github.com/ebitengine/purego v0.11.3 // indirect
	github.com/gofrs/flock v0.13.1 // indirect
	github.com/mitchellh/colorstring v0.0.0-20190213212951-d06e56a500db // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/term v0.44.0 // indirect
	golang.org/x/text v0.44.0 // indirect
)

replace (
	github.com/cutile-go/cutile => ../..
	github.com/cutile-go/cutile/models => ../../models
	github.com/cutile-go/cutile/onnx => ../../onnx
)
