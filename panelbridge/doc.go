// Package panelbridge shows panels and questions on the surfaces that people
// have. It decides nothing about them: what a panel holds is up to its owner,
// and whether a call may run is asked by the contract.
package panelbridge
