//go:build !crashpoints || !unix

package main

import "raw/contract/ledger"

// crashPoint does nothing in a binary built without the tag crashpoints.
func crashPoint() (none ledger.Crash) { return none }
