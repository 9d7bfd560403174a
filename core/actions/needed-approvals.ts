/** How many approvals a review needs, and of whom: for requests that are queued, and for calls that are not made. */

import { neededText, requirementsOf, type SeparationRequest } from '#core/configuration/identity/separation-rules.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { Requirement } from '#core/contracts/separation.ts';
import type { Effects } from '#core/effects/ports.ts';
import { type PolicyDecision, termsOf } from '#core/policy/rules/decide.ts';
import { ownerOf } from './abuse-notes.ts';
import type { GovernedAction } from './governed.ts';

/** Returns what the call is said to do, and what its effects do. */
export const capabilitiesOf = (
  { capability }: Pick<ToolCall, 'capability'>,
  effects: Effects | undefined,
): string[] => [...new Set([capability, ...(effects?.parts ?? []).map((part) => part.capability)])];

/** Returns the separation rules of the organisation that apply, and what the deciding rules ask for. */
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

/** Returns in words what is needed; undefined if one approval of any reviewer is enough. */
export function neededWords(requires: readonly Requirement[], requirePasskey = false): string | undefined {
  if (requires.length === 0) return requirePasskey ? '1 approval with a passkey' : undefined;
  return `${neededText(requires)}${requirePasskey ? ', each with a passkey' : ''}`;
}
