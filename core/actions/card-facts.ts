/** The facts that the card shows in addition to the call: key and owner, effects, the rule's reason, risk. */

import { isDeepStrictEqual } from 'node:util';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { effectsInWords, summaryInWords } from '#core/effects/in-words.ts';
import { grantFor } from '#core/execution/credentials/grants.ts';
import { credentialRule } from '#core/policy/rules/decide.ts';
import { scoresOf } from '#core/session/risk/assess.ts';
import { driftInWords } from '#core/session/tasks/decide-manifests.ts';
import { maskSecrets } from '#core/text/secrets/masked.ts';
import { shorten } from '#core/text/secrets/visible-text.ts';
import type { GovernedAction } from './governed.ts';
import type { CallDecision } from './judge.ts';
import { executedPlaces } from './program-texts.ts';

type CardFacts = Pick<
  ApprovalRow,
  | 'key_name'
  | 'key_kind'
  | 'effects'
  | 'effect_risks'
  | 'summary'
  | 'executed'
  | 'policy'
  | 'rule_reason'
  | 'risk'
  | 'credential'
>;

const effectCharacters = 600;

/** Returns the credential that the call would get now, for display on the card. */
function credentialNow({ decision, envelope, snapshot }: GovernedAction): ApprovalRow['credential'] {
  const grant = grantFor(snapshot.configuration.credentials.grants, credentialRule(decision), envelope);
  return grant && { broker: grant.broker, scope: grant.scope, ttl_seconds: grant.ttl_seconds };
}

/** Checks whether the call would get the credential that the reviewer approved [approval.bound]. */
export const hasApprovedCredential = (action: GovernedAction, { credential }: ApprovalRow): boolean =>
  isDeepStrictEqual(credentialNow(action), credential && { ...credential });

/**
 * Returns the facts of a card.
 * @param nowMs when the request is queued; the scores are as of that time.
 * @param hide masks the call's withheld values.
 */
export function cardFacts(action: GovernedAction, nowMs: number, hide: (text: string) => string): CardFacts {
  const { principal, envelope, effects, decision, snapshot, standing } = action;
  const credential = credentialNow(action);
  const { behavior } = snapshot.configuration;
  const lines = effects && effectsInWords(envelope, effects);
  const shown = (text: string, ofProgram: boolean) => hide(ofProgram ? text : maskSecrets(text, '[redacted]'));
  const summary = effects && summaryInWords(envelope, effects, shown);
  const said = decision.reason ?? decision.rule?.reason;
  const reason =
    [said, guardInWords(decision), driftBeside(decision)].filter((each) => each !== undefined).join(' ') || undefined;
  return {
    key_name: principal.name,
    key_kind: principal.kind,
    ...(lines && {
      effects: lines.map(({ text, ofProgram }) => shorten(shown(text, ofProgram), effectCharacters)),
      effect_risks: lines.map(({ risk }) => risk),
    }),
    ...(summary && { summary: { ...summary, text: shorten(summary.text, effectCharacters) } }),
    executed: executedPlaces(envelope),
    ...(credential && { credential }),
    policy: decision.policy,
    ...(reason !== undefined && { rule_reason: hide(maskSecrets(reason, '[redacted]')) }),
    ...(behavior.enabled &&
      standing && {
        risk: { ...scoresOf(behavior, standing, nowMs), kill_switch: behavior.kill_switch_score },
      }),
  };
}

/** Returns the tool guard's findings if the decision came from another source. */
function guardInWords({ guard = [], matched_rule }: CallDecision): string | undefined {
  if (guard.length === 0 || matched_rule.startsWith('tool_guard:')) return undefined;
  return `Tool guard: ${guard.map(({ kind, where }) => `${kind} at ${where}`).join(', ')}.`;
}

/** Returns how the call departs from its task sheets if the decision came from another source. */
const driftBeside = ({ drift = [], matched_rule }: CallDecision): string | undefined =>
  drift.length === 0 || matched_rule.startsWith('manifest:') ? undefined : driftInWords(drift);
