package main

// This file belongs to another system: its declarations would clash.
func scale() {}
