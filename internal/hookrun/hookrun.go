// Package hookrun runs hooks as processes. Which hooks an event concerns and
// what an ending means is the business of contract/hook; that nothing is left of
// a process is that of internal/proc. What a hook prints goes to nobody but its
// judge and, cut short, the log: only the reason and the message of a valid
// decision are for others.
package hookrun

import (
	"context"
	"log/slog"
	"strings"

	"raw/contract/hook"
	"raw/internal/proc"
)

// Runner runs the hooks of one session. Its fields are set before its first
// use and not changed after it. Its methods may be called at once.
type Runner struct {
	Proc *proc.Runner

	// Environ is the environment of hooks, complete: that of the bash tool.
	Environ func(context.Context) []string

	// Record is told of each hook that was selected, after it ran. It may be
	// called from several goroutines. Nil records nothing.
	Record func(hook.Receipt)

	Log *slog.Logger // nil discards
}

// Gate asks the hooks that e concerns, one after the other, and stops at the
// first that does not continue. It returns Continued only when every one of
// them did; when ctx ends, Failed with the cause Aborted.
func (r *Runner) Gate(ctx context.Context, concerned []hook.Selected, e hook.Event) hook.Verdict {
	for _, s := range concerned {
		if v := r.one(ctx, s, e); v.Outcome != hook.Continued {
			return v
		}
	}
	return hook.Verdict{Outcome: hook.Continued}
}

// Notify tells the hooks that e concerns, one after the other. What goes wrong
// is recorded and changes nothing. It returns when all have ended or ctx ends.
func (r *Runner) Notify(ctx context.Context, concerned []hook.Selected, e hook.Event) {
	for _, s := range concerned {
		r.one(ctx, s, e)
	}
}

// one runs a selected hook, and records and logs what became of it.
func (r *Runner) one(ctx context.Context, s hook.Selected, e hook.Event) hook.Verdict {
	ran := Ran{Receipt: receipt(s.Fail(hook.Unprepared), e)}
	if !s.Unprepared {
		ran = r.Run(ctx, s.Manifest, e)
	}
	if r.Record != nil {
		r.Record(ran.Receipt)
	}
	r.log(ran)
	return ran.Receipt.Verdict
}

func receipt(v hook.Verdict, e hook.Event) hook.Receipt {
	c := hook.Receipt{Verdict: v, Event: e.Name}
	if e.Tool != nil {
		c.Tool = e.Tool.Identity
	}
	return c
}

// maxLogged bounds what the log has of the output of a failed hook, in bytes:
// half of it for each stream.
const maxLogged = 1 << 10

func (r *Runner) log(ran Ran) {
	c := ran.Receipt
	if r.Log == nil || c.Outcome == hook.Continued {
		return
	}
	about := []any{"hook", c.Hook, "event", string(c.Event), "tool", c.Tool, "duration", c.Duration}
	if c.Outcome == hook.Denied {
		r.Log.Info("a hook denied a call", append(about, "bare", c.Bare, "reason", c.Reason, "message", c.Message)...)
		return
	}
	about = append(about, "cause", string(c.Cause), "what", c.What, "code", c.Code)
	if ran.Err != nil {
		about = append(about, "error", ran.Err)
	}
	r.Log.Warn("a hook failed", append(about, "stdout", start(ran.Stdout), "stderr", start(ran.Stderr))...)
}

// start is the start of an output as the log may have it.
func start(output []byte) string {
	const most = maxLogged / 2
	if len(output) <= most {
		return strings.ToValidUTF8(string(output), "?")
	}
	return strings.ToValidUTF8(string(output[:most]), "?")
}
