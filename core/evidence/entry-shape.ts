/**
 * Checks that an external value has exactly the shape of an evidence entry. The check is written by hand because a
 * verifier may check 100,000 entries. A test compares it with `evidenceEntrySchema`.
 */

import { entryKinds } from '#core/contracts/entry-kinds.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { isObject } from '#core/kernel/narrow.ts';

type Check = (value: unknown) => boolean;

const kinds: ReadonlySet<unknown> = new Set(entryKinds);
const hexHash = /^[0-9a-f]{64}$/;

const isText: Check = (value) => typeof value === 'string';
const isHash: Check = (value) => typeof value === 'string' && hexHash.test(value);
const checks: Readonly<Record<keyof EvidenceEntry, Check>> = {
  version: (value) => value === 1,
  tenant: isText,
  session_id: isText,
  index: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  timestamp: isText,
  kind: (value) => kinds.has(value),
  envelope_id: isText,
  actor: isActor,
  body: isObject,
  previous_hash: (value) => value === '' || isHash(value),
  hash: isHash,
};
const fields = Object.entries(checks);

const actorMembers: ReadonlySet<string> = new Set(['key_id', 'agent', 'person', 'issuer', 'subject', 'owner']);

function isActor(value: unknown): boolean {
  if (!isObject(value) || typeof value.key_id !== 'string') return false;
  for (const [key, item] of Object.entries(value)) {
    if (!actorMembers.has(key)) return false;
    if (item !== undefined && typeof item !== 'string') return false;
  }
  return true;
}

/** Describes what is wrong with the shape, or returns undefined if the value is an entry. */
export function shapeDefect(value: unknown): string | undefined {
  if (!isObject(value)) return 'this is not an entry: an object was expected';
  for (const [field, check] of fields) {
    if (!Object.hasOwn(value, field)) return `the field ${field} is missing`;
    if (!check(value[field])) return `the value of the field ${field} is not allowed in an entry's ${field}`;
  }
  const keys = Object.keys(value);
  if (keys.length === fields.length) return undefined;
  return `the entry contains a field that entries do not have: ${JSON.stringify(keys.find((key) => !Object.hasOwn(checks, key)))}`;
}
