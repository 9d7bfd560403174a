/**
 * Verifies a published index, using the pinned root key and the sequence numbers seen before [supply-chain.sequence].
 */

import type { KeyObject } from 'node:crypto';
import type * as z from 'zod';
import { describeIssue } from '#core/kernel/issue-words.ts';
import {
  delegationsPredicate,
  indexFile,
  indexPredicate,
  type PluginEntry,
  type PluginIndex,
  revocationsPredicate,
} from './documents.ts';
import { type DocumentKind, firstIssue, openEnvelope } from './envelope.ts';
import { keyIdOf, publicKeyOf } from './keys.ts';
import { type RefusalReason, refuseDocument } from './refusal.ts';

const rootDocuments = ['delegations', 'revocations', 'index'] as const satisfies readonly DocumentKind[];

/** Sequence and digest of the last accepted root documents. */
type AcceptedDocuments = Readonly<Record<(typeof rootDocuments)[number], { sequence: number; sha256: string }>>;

export interface Publisher {
  readonly key: KeyObject;
  readonly patterns: readonly string[];
  readonly notAfter: string;
}

/** Trusted data from a verified index. */
export interface TrustedIndex {
  readonly index: PluginIndex;
  readonly publishers: ReadonlyMap<string, readonly Publisher[]>;
  readonly revokedKeys: ReadonlySet<string>;
  readonly revokedArtifacts: ReadonlySet<string>;
  readonly seen: AcceptedDocuments;
}

/** Maximum difference between the publisher's clock and the reader's. */
const skewMs = 10 * 60_000;

/**
 * Verifies an index file.
 * @param now milliseconds since 1970
 * @throws SupplyChainRefusal with the first check that failed
 */
export function verifyIndex(
  file: unknown,
  root: KeyObject,
  { now, seen }: { now: number; seen?: AcceptedDocuments },
): TrustedIndex {
  const parsed = indexFile.safeParse(file, { error: describeIssue });
  if (!parsed.success)
    return refuseDocument('envelope_malformed', `the index file is not valid: ${firstIssue(parsed.error)}`);
  const rootKeys = new Map([[keyIdOf(root), root]]);
  const open = <Shape>(kind: (typeof rootDocuments)[number], schema: z.ZodType<Shape>) => {
    const { predicate, payloadSha256 } = openEnvelope(parsed.data[kind], kind, rootKeys);
    return { said: parseDocument(schema, predicate, kind), sha256: payloadSha256 };
  };
  const opened = {
    delegations: open('delegations', delegationsPredicate),
    revocations: open('revocations', revocationsPredicate),
    index: open('index', indexPredicate),
  };
  const index = opened.index.said;
  if (Date.parse(index.issued_at) > now + skewMs)
    return refuseDocument('issued_in_future', `the index was issued at ${index.issued_at}, which is in the future`);
  for (const kind of rootDocuments) inSequence(kind, opened[kind].said.sequence, opened[kind].sha256, seen?.[kind]);
  noDuplicates(index.plugins);
  const { keys, artifacts } = opened.revocations.said;
  return {
    index,
    publishers: publishersOf(opened.delegations.said.delegations),
    revokedKeys: new Set(keys),
    revokedArtifacts: new Set(artifacts),
    seen: {
      delegations: { sequence: opened.delegations.said.sequence, sha256: opened.delegations.sha256 },
      revocations: { sequence: opened.revocations.said.sequence, sha256: opened.revocations.sha256 },
      index: { sequence: index.sequence, sha256: opened.index.sha256 },
    },
  };
}

/**
 * Parses a signed document.
 * @throws SupplyChainRefusal naming the invalid member and the reason.
 */
export function parseDocument<Shape>(schema: z.ZodType<Shape>, value: unknown, kind: DocumentKind): Shape {
  const parsed = schema.safeParse(value, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const member = parsed.error.issues[0]?.path.at(-1);
  const reasons: Record<string, RefusalReason> = {
    name: 'name_invalid',
    version: 'version_invalid',
    url: 'url_invalid',
  };
  return refuseDocument(
    reasons[String(member)] ?? 'statement_malformed',
    `the ${kind} is not valid: ${firstIssue(parsed.error)}`,
  );
}

function inSequence(
  kind: (typeof rootDocuments)[number],
  sequence: number,
  sha256: string,
  last: AcceptedDocuments['index'] | undefined,
): void {
  if (!last) return;
  if (sequence < last.sequence)
    refuseDocument('sequence_older', `the ${kind} has sequence ${sequence}, but ${last.sequence} was seen before`);
  if (sequence === last.sequence && sha256 !== last.sha256)
    refuseDocument(
      'sequence_reused',
      `the ${kind} with sequence ${sequence} differs from the one that was seen before`,
    );
}

function noDuplicates(plugins: readonly PluginEntry[]): void {
  const names = new Set<string>();
  for (const { name, version } of plugins) {
    const id = `${name}@${version}`;
    if (names.has(id)) refuseDocument('plugin_duplicate', `the index lists ${id} twice`);
    names.add(id);
  }
}

function publishersOf(delegations: z.infer<typeof delegationsPredicate>['delegations']): TrustedIndex['publishers'] {
  const publishers = new Map<string, Publisher[]>();
  for (const { public_key, patterns, not_after } of delegations) {
    const key = publicKeyOf(public_key);
    const id = keyIdOf(key);
    publishers.set(id, [...(publishers.get(id) ?? []), { key, patterns, notAfter: not_after }]);
  }
  return publishers;
}
