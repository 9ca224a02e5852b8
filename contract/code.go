package contract

// Code names a refusal or failure that the contract knows. The list is closed
// (CONTRACT.md §3); every adapter maps every one, and a test says so.
type Code string

// The codes, in the order of the steps that give them.
const (
	CodeToolNotExposed   Code = "tool_not_exposed"
	CodeToolDenied       Code = "tool_denied"
	CodeModeDenied       Code = "mode_denied"
	CodeInvalidArguments Code = "invalid_arguments"
	CodeEffectsError     Code = "effects_error"
	CodeInvalidEffects   Code = "invalid_effects"
	CodeHookDenied       Code = "hook_denied"
	CodeHookError        Code = "hook_error"

	CodeApprovalRequired  Code = "approval_required"
	CodeApprovalDenied    Code = "approval_denied"
	CodeApprovalDismissed Code = "approval_dismissed"
	CodeApprovalTimeout   Code = "approval_timeout"
	CodeApprovalError     Code = "approval_error"

	CodeToolError Code = "tool_error"

	CodeAborted                Code = "aborted"
	CodeToolActivated          Code = "tool_activated"
	CodeToolAmbiguous          Code = "tool_ambiguous"
	CodeConflict               Code = "conflict"
	CodeUnsupportedPlatform    Code = "unsupported_platform"
	CodeLedgerUnavailable      Code = "ledger_unavailable"
	CodeLawInvalid             Code = "law_invalid"
	CodeRuleUnbound            Code = "rule_unbound"
	CodeWorkspaceMissing       Code = "workspace_missing"
	CodeInteractionUnavailable Code = "interaction_unavailable"
	CodeTimeout                Code = "timeout"

	CodeInteractionBudgetTooSmall Code = "interaction_budget_too_small"
	CodeInteractionConflict       Code = "interaction_conflict"
	CodeInteractionInvalid        Code = "interaction_invalid"
	CodeInteractionUnknown        Code = "interaction_unknown"

	CodePanelInvalid          Code = "panel_invalid"
	CodePanelTooLarge         Code = "panel_too_large"
	CodePanelUndeclared       Code = "panel_undeclared"
	CodePanelNotOwned         Code = "panel_not_owned"
	CodePanelUnknown          Code = "panel_unknown"
	CodePanelRevisionConflict Code = "panel_revision_conflict"
	CodePanelRateLimited      Code = "panel_rate_limited"
	CodePanelLimit            Code = "panel_limit"
	CodePanelClosedContext    Code = "panel_closed_context"
)

// Codes lists every code.
func Codes() []Code {
	return []Code{
		CodeToolNotExposed, CodeToolDenied, CodeModeDenied, CodeInvalidArguments,
		CodeEffectsError, CodeInvalidEffects, CodeHookDenied, CodeHookError,
		CodeApprovalRequired, CodeApprovalDenied, CodeApprovalDismissed, CodeApprovalTimeout, CodeApprovalError,
		CodeToolError, CodeAborted, CodeToolActivated, CodeToolAmbiguous, CodeConflict, CodeUnsupportedPlatform,
		CodeLedgerUnavailable, CodeLawInvalid, CodeRuleUnbound, CodeWorkspaceMissing, CodeInteractionUnavailable,
		CodeTimeout,
		CodeInteractionBudgetTooSmall, CodeInteractionConflict, CodeInteractionInvalid, CodeInteractionUnknown,
		CodePanelInvalid, CodePanelTooLarge, CodePanelUndeclared, CodePanelNotOwned, CodePanelUnknown,
		CodePanelRevisionConflict, CodePanelRateLimited, CodePanelLimit, CodePanelClosedContext,
	}
}

// Kind is what a code means for the next step of the model. An unknown code
// is fatal.
func (c Code) Kind() Kind {
	switch c {
	case CodeToolNotExposed, CodeInvalidArguments, CodeToolAmbiguous, CodeInteractionInvalid, CodePanelInvalid:
		return KindInvalidInput
	case CodeToolDenied, CodeModeDenied, CodeEffectsError, CodeInvalidEffects, CodeHookDenied, CodeHookError,
		CodeApprovalRequired, CodeApprovalDenied, CodeApprovalDismissed, CodeApprovalTimeout, CodeApprovalError,
		CodeAborted, CodeToolActivated, CodeConflict, CodeUnsupportedPlatform, CodeLedgerUnavailable,
		CodeLawInvalid, CodeRuleUnbound, CodeWorkspaceMissing, CodeInteractionUnavailable,
		CodeInteractionBudgetTooSmall, CodeInteractionConflict, CodeInteractionUnknown,
		CodePanelTooLarge, CodePanelUndeclared, CodePanelNotOwned, CodePanelUnknown,
		CodePanelRevisionConflict, CodePanelRateLimited, CodePanelLimit, CodePanelClosedContext:
		return KindPrecondition
	case CodeTimeout:
		return KindTransient
	default:
		return KindFatal
	}
}
