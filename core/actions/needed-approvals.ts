/** The approvals needed for a review, for queued requests and for simulated calls. */

import { neededText, requirementsOf, type SeparationRequest } from '#core/configuration/identity/separation-rules.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { Requirement } from '#core/contracts/separation.ts';
import type { Effects } from '#core/effects/ports.ts';
import { type PolicyDecision, termsOf } from '#core/policy/rules/decide.ts';
import { ownerOf } from './abuse-notes.ts';
import type { GovernedAction } from './governed.ts';

/** Returns the call's declared capability and the capabilities of its effects. */
export const capabilitiesOf = (
  { capability }: Pick<ToolCall, 'capability'>,
  effects: Effects | undefined,
): string[] => [...new Set([capability, ...(effects?.parts ?? []).map((part) => part.capability)])];

/** Returns the requirements set by the organisation's separation rules and the deciding rules. */
export const requirementsOfReview = (
  configuration: Pick<Configuration, 'organizations' | 'separation_rules'>,
  decision: PolicyDecision,
  request: SeparationRequest,
): Requirement[] => [...requirementsOf(configuration, request), ...(termsOf(decision)?.requires ?? [])];

export const requiresOf = ({ envelope, effects, principal, decision, snapshot }: GovernedAction): Requirement[] =>
  requirementsOfReview(snapshot.configuration, decision, {
    tenant: envelope.tenant,
    capabilities: capabilitiesOf(envelope, effects),
    owner: ownerOf(principal),
  });

/** Describes the approvals needed; undefined if one approval by any reviewer is enough. */
export function neededWords(requires: readonly Requirement[], requirePasskey = false): string | undefined {
  if (requires.length === 0) return requirePasskey ? '1 approval with a passkey' : undefined;
  return `${neededText(requires)}${requirePasskey ? ', each with a passkey' : ''}`;
}
