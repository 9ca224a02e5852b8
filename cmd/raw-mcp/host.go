package main

import (
	"context"
	"log/slog"
	"os"
	"time"
)

// watchEvery is how soon a host that died without closing our input is
// noticed.
const watchEvery = 2 * time.Second

// watchHost calls stop when the process that started us is gone: somebody
// else then holds our input open, and nobody will ever write to it. It returns
// with ctx.
func watchHost(ctx context.Context, stop func(), log *slog.Logger) {
	parent := os.Getppid()
	wrapper := wrapperOf(parent)
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if os.Getppid() != parent || wrapper.orphaned() {
				log.Info("the host is gone")
				stop()
				return
			}
		}
	}
}
