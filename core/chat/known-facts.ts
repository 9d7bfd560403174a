/** Derives facts about a call from the results of several stages. */

import type { Finding } from '#core/contracts/chat.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import type { Verdict } from '#core/models/content-policy/ports.ts';
import { demoHeaders } from '#core/models/providers/demo.ts';
import type { CallEnding, KnownCall, Ruling } from './call-stages.ts';
import { leftOutHeader } from './left-out.ts';

const allowed: Ruling = { decision: 'allow', matchedRule: undefined };

/** Returns the most recent ruling that contains a decision. */
export const rulingOf = ({ inputVerdict, approval, outputVerdict }: KnownCall, ending: CallEnding): Ruling =>
  ending.ruling ??
  ruledBy(outputVerdict) ??
  (approval && { decision: 'allow', matchedRule: approval.matchedRule }) ??
  ruledBy(inputVerdict) ??
  allowed;

function ruledBy(verdict: Verdict | undefined): Ruling | undefined {
  if (!verdict || verdict.decision === 'allow' || verdict.matched_rule === undefined) return undefined;
  return { decision: verdict.decision, matchedRule: verdict.matched_rule };
}

/** Returns the findings in the request, then those in the reply. */
export function findingsOf({ inputVerdict, outputVerdict }: KnownCall): readonly Finding[] {
  const [first, second] = [inputVerdict?.findings ?? [], outputVerdict?.findings ?? []];
  if (second.length === 0) return first;
  return first.length === 0 ? second : [...first, ...second];
}

/** Returns the end of the session's chain, as most recently read. */
export const headOf = ({ approval, head }: KnownCall): SessionHead | null =>
  approval ? approval.head : (head ?? null);

/** Returns the provider that answered, or whose answer is replayed. */
export const providerOf = ({ provider, lookup }: KnownCall): string | undefined =>
  provider ?? (lookup && lookup.state !== 'MISS' ? lookup.cached.provider : undefined);

/**
 * Returns the members that are not sent to any provider, and those that were not sent to the answering or cached
 * provider.
 */
export function leftOutOf({ call, leftOut, lookup }: KnownCall): readonly string[] {
  const names = leftOut ?? (lookup && lookup.state !== 'MISS' ? lookup.cached.leftOut : []);
  return names.length + call.leftOut.length === 0 ? call.leftOut : [...new Set([...call.leftOut, ...names])];
}

/** Returns the response headers that are known at the call's current stage. */
export function headersOfCall(known: KnownCall, ending?: CallEnding): Readonly<Record<string, string>> {
  const { call, limitHeaders, lookup } = known;
  const warnings = warningsIn(findingsOf(known));
  return {
    'x-envelope-id': call.envelopeId,
    'x-session-id': call.sessionId,
    ...limitHeaders,
    ...(warnings !== undefined && { 'x-policy-warning': warnings }),
    ...(lookup && { 'x-cache': lookup.state }),
    ...(known.demo && demoHeaders),
    ...leftOutHeader(leftOutOf(known)),
    ...ending?.headers,
  };
}

function warningsIn(findings: readonly Finding[]): string | undefined {
  if (findings.length === 0) return undefined;
  const names = new Set(findings.filter(({ action }) => action === 'warn').map(({ policy }) => policy));
  return names.size === 0 ? undefined : [...names].map(inHeader).join(', ');
}

/** Replaces non-ASCII characters, which headers cannot contain. */
const inHeader = (name: string): string => name.replace(/[^\x20-\x7e]/g, '?');
