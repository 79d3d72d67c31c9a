// Command listen finds speech in a WAV file. It starts the command of this name in the module examples/apps, where its source is.
package main

import "github.com/cutile-go/cutile/examples/internal/app"

func main() { app.Main("listen") }
