//go:build !linux

package main

// wrapper is known on Linux only; elsewhere only the parent itself is watched.
type wrapper struct{}

func wrapperOf(int) wrapper { return wrapper{} }

func (wrapper) orphaned() bool { return false }
