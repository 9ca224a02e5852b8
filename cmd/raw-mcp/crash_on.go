//go:build crashpoints && unix

package main

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"raw/contract/ledger"
)

// crashPoint kills the process at a named point of the ledger: RAW_CRASH is
// "POINT:N", for the N-th time that the point is reached.
func crashPoint() ledger.Crash {
	point, count, _ := strings.Cut(os.Getenv("RAW_CRASH"), ":")
	n, err := strconv.Atoi(count)
	if err != nil {
		return nil
	}
	var reached atomic.Int64
	return func(at string) {
		if at == point && reached.Add(1) == int64(n) {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
}
