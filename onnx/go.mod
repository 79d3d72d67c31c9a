module github.com/cutile-go/cutile/onnx

go 1.26.0

require (
	github.com/cutile-go/cutile v0.0.0-00010101000000-000000000000
	google.golang.org/protobuf v1.36.10
)

require (
	github.com/ebitengine/purego v0.11.3 // indirect
	github.com/gofrs/flock v0.13.1 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/cutile-go/cutile => ..
