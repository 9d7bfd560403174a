/** Facts of a call that follow from what several of its stages returned. */

import type { Finding } from '#core/contracts/chat.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import type { Verdict } from '#core/models/content-policy/ports.ts';
import { demoHeaders } from '#core/models/providers/demo.ts';
import type { Ending, KnownCall, Ruling } from './call-stages.ts';
import { leftOutHeader } from './left-out.ts';

const allowed: Ruling = { decision: 'allow', matchedRule: undefined };

/** The last one that decided something. */
export const rulingOf = ({ inputVerdict, approval, outputVerdict }: KnownCall, ending: Ending): Ruling =>
  ending.ruling ??
  ruledBy(outputVerdict) ??
  (approval && { decision: 'allow', matchedRule: approval.matchedRule }) ??
  ruledBy(inputVerdict) ??
  allowed;

function ruledBy(verdict: Verdict | undefined): Ruling | undefined {
  if (!verdict || verdict.decision === 'allow' || verdict.matched_rule === undefined) return undefined;
  return { decision: verdict.decision, matchedRule: verdict.matched_rule };
}

/** Of the request, then of the reply. */
export function findingsOf({ inputVerdict, outputVerdict }: KnownCall): readonly Finding[] {
  const [first, second] = [inputVerdict?.findings ?? [], outputVerdict?.findings ?? []];
  if (second.length === 0) return first;
  return first.length === 0 ? second : [...first, ...second];
}

/** The end of the session's chain, as last read. */
export const headOf = ({ approval, head }: KnownCall): SessionHead | null =>
  approval ? approval.head : (head ?? null);

/** The provider that answered, or whose answer is replayed. */
export const providerOf = ({ provider, lookup }: KnownCall): string | undefined =>
  provider ?? (lookup && lookup.state !== 'MISS' ? lookup.cached.provider : undefined);

/** What the provider that was asked, or was asked for a cached answer, did not get beside what no provider gets. */
export function leftOutOf({ call, leftOut, lookup }: KnownCall): readonly string[] {
  const names = leftOut ?? (lookup && lookup.state !== 'MISS' ? lookup.cached.leftOut : []);
  return names.length + call.leftOut.length === 0 ? call.leftOut : [...new Set([...call.leftOut, ...names])];
}

/** Headers of the answer, as far as its call has come. */
export function headersOfCall(known: KnownCall, ending?: Ending): Readonly<Record<string, string>> {
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

/** A header holds ASCII only. */
const inHeader = (name: string): string => name.replace(/[^\x20-\x7e]/g, '?');
