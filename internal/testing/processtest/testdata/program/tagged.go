//go:build neverset

package main

// This file needs a build tag: its declarations would clash.
func fails() {}
