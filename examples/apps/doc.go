// Package apps has no code: the commands are in its folders. README.md tells how to run them.
package apps
