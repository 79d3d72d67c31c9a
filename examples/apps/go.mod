module github.com/cutile-go/cutile/examples/apps

go 1.26.0

require (
	github.com/cutile-go/cutile v0.0.0
	github.com/cutile-go/cutile/models v0.0.0
)

require (
	github.com/ebitengine/purego v0.11.3 // indirect
	github.com/gofrs/flock v0.13.1 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.44.0 // indirect
)

replace (
	github.com/cutile-go/cutile => ../..
	github.com/cutile-go/cutile/models => ../../models
	github.com/cutile-go/cutile/onnx => ../../onnx
)
