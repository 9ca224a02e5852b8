package app

import (
	"cmp"
	"errors"
	"sync"
	"time"

	"raw/contract/hook"
	"raw/contract/ledger"
)

// journal is a session's ledger, opened with the first thing that is recorded:
// a process that a client starts only to look at it leaves nothing behind. Its
// methods may be called at once.
type journal struct {
	app     *App
	session string

	mu     sync.Mutex
	log    *ledger.Log
	closed bool
}

// open gives the ledger. One that cannot be opened is tried again at the next
// call: a disk that was full may not be any more.
func (j *journal) open() (*ledger.Log, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.log != nil:
		return j.log, nil
	case j.closed:
		return nil, ledger.ErrClosed
	}
	log, err := ledger.Open(ledger.Options{
		Folder: j.app.settings.Config.Ledger.Folder, Session: j.session, Mask: j.app.masked(), Crash: j.app.settings.Crash,
	})
	if err != nil {
		return nil, err
	}
	for _, f := range log.Cut() {
		j.app.settings.Log.Warn("a torn record was cut off", "fault", f.Error())
	}
	j.log = log
	return log, nil
}

// Started implements contract.Journal.
func (j *journal) Started(s ledger.Start) (string, error) {
	log, err := j.open()
	if err != nil {
		return "", err
	}
	return log.Started(s)
}

// Settled implements contract.Journal.
func (j *journal) Settled(execution string, r ledger.Receipt) error {
	log, err := j.open()
	if err != nil {
		return err
	}
	return log.Settled(execution, r)
}

// Note implements contract.Journal.
func (j *journal) Note(e ledger.Event) error {
	log, err := j.open()
	if err != nil {
		return err
	}
	return log.Note(e)
}

// hookRan records one run of a hook.
func (j *journal) hookRan(r hook.Receipt) {
	decision := map[hook.Outcome]string{hook.Continued: "continue", hook.Denied: "deny", hook.Failed: "error"}[r.Outcome]
	err := j.Note(ledger.Hook{
		Name: r.Hook, Event: string(r.Event), Tool: r.Tool, Decision: decision, Exit: r.Code,
		Explicit: r.Outcome == hook.Denied && !r.Bare, Reason: cmp.Or(r.Reason, r.What), Message: r.Message,
	})
	if err != nil {
		j.app.settings.Log.Error("the run of a hook is not recorded", "hook", r.Hook, "error", err)
	}
}

func (j *journal) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
	if j.log == nil {
		return nil
	}
	return j.log.Close()
}

// masked are the values that must not be recorded.
func (a *App) masked() []string {
	var values []string
	for _, name := range a.settings.Config.Ledger.MaskEnv {
		if v, ok := a.settings.Lookup(name); ok {
			values = append(values, v)
		}
	}
	return values
}

// Prune applies the retention of the configuration.
func (a *App) Prune() {
	c := a.settings.Config.Ledger
	if !c.Enabled {
		return
	}
	store := ledger.Store{Folder: c.Folder}
	_, err := store.Prune(ledger.Retention{Age: time.Duration(c.Retention), Bytes: int64(c.MaxMiB) << 20})
	if err != nil && !errors.Is(err, ledger.ErrUnknown) {
		a.settings.Log.Warn("old records are not removed", "error", err)
	}
}
