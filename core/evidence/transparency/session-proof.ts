/** Checks, using only keys, that a session's chain is in a log, when it was logged, and which witnesses saw it. */
import { type LogLeaf, logProofSchema } from '#core/contracts/transparency.ts';
import { describeIssue } from '#core/kernel/issue-words.ts';
import { cosignedAt, type LogTrusted, type OpenCheckpoint, openCheckpoint } from './checkpoint-note.ts';
import { leafBytes, sessionDigest } from './leaf.ts';
import { canonicalBase64, type NoteKey, rawKey, verifierKey } from './note.ts';
import { rootOfInclusion } from './proofs.ts';
import { hashBytes, leafHash, nodeHash } from './tree.ts';

export interface LogTrust {
  /** Keys of the log. Without a key, the proof's origin is not checked. */
  readonly log?: LogTrusted | undefined;
  readonly witnesses?: readonly NoteKey[];
  /** Returns, in order, every leaf of a session that a witness has read. */
  readonly sessions?: (session: string) => ReturnType<KnownSessions['get']>;
  /** Log sizes that the witness itself recorded, not taken from the bundle. */
  readonly history?: readonly { readonly size: number; readonly at: string }[];
}

/** Leaves of each session that a witness has read, in index order. */
export type KnownSessions = Map<string, readonly { readonly index: number; readonly hash: string }[]>;

/** A witness that saw the leaf. */
interface WitnessSighting {
  readonly witness: string;
  /** ISO 8601. */
  readonly at: string;
  readonly size: number;
}

export interface CheckedProof {
  readonly leaf: LogLeaf;
  readonly position: number;
  readonly origin: string;
  readonly size: number;
  readonly seen: readonly WitnessSighting[];
}

/** Checks a log proof. @returns what the proof establishes, or a message explaining why it fails. Never throws. */
export function checkLogProof(
  candidate: unknown,
  session: { readonly tenant: string; readonly session_id: string },
  { log, witnesses = [] }: LogTrust,
): CheckedProof | string {
  const parsed = logProofSchema.safeParse(candidate, { error: describeIssue });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `the log proof is malformed at ${issue?.path.join('.') || 'its root'}: ${issue?.message}`;
  }
  const { leaf, position, checkpoint, path: hashes, cosigned, keys = [] } = parsed.data;
  if (leaf.tenant !== session.tenant || leaf.session !== sessionDigest(session.tenant, session.session_id))
    return 'the log proof is for another session';
  const dependent = witnesses.length > 0 ? dependentWitness(witnesses, [log ?? []].flat()) : undefined;
  if (dependent !== undefined) return dependent;
  const under = (text: string, proof: readonly string[]) => headOver(leaf, position, text, proof, log);
  const head = under(checkpoint, hashes);
  if (typeof head === 'string') return head + keyAdvice(head, keys, log);
  const seen: WitnessSighting[] = [];
  for (const each of cosigned) {
    const earlier = under(each.checkpoint, each.path);
    if (typeof earlier === 'string') return `a cosigned checkpoint fails: ${earlier}${keyAdvice(earlier, keys, log)}`;
    if (earlier.origin !== head.origin) return 'a cosigned checkpoint is for another log';
    for (const witness of witnesses) {
      const seconds = cosignedAt(earlier, witness);
      if (seconds === undefined) continue;
      seen.push({ witness: witness.name, at: new Date(seconds * 1000).toISOString(), size: earlier.size });
    }
  }
  return { leaf, position, origin: head.origin, size: head.size, seen };
}

/**
 * Returns an error if two witnesses, or a witness and the log, have the same key, since they then count as a single
 * party [transparency.witness].
 */
function dependentWitness(witnesses: readonly NoteKey[], logKeys: readonly NoteKey[]): string | undefined {
  const owners = new Map(logKeys.map((key) => [rawKey(key.publicKey).toString('hex'), `the log ${key.name}`]));
  for (const { name, publicKey } of witnesses) {
    const raw = rawKey(publicKey).toString('hex');
    const owner = owners.get(raw);
    if (owner !== undefined && owner !== `the witness ${name}`)
      return `the witness ${name} has the same key as ${owner}: they are not separate parties`;
    owners.set(raw, `the witness ${name}`);
  }
  return undefined;
}

/** Returns advice for the case that the log's keys differ from the trusted ones. */
function keyAdvice(reason: string, keys: readonly string[], log: LogTrusted | undefined): string {
  const pinned = [log ?? []].flat().map(verifierKey);
  const others = keys.filter((key) => !pinned.includes(key));
  if (!reason.includes('is not signed by') || others.length === 0) return '';
  return `; the bundle names additional keys of the log, ${others.join(', ')}: compare them with the keys that its operator publishes, and trust the published ones as well`;
}

function headOver(
  leaf: LogLeaf,
  position: number,
  text: string,
  proof: readonly string[],
  log: LogTrusted | undefined,
): OpenCheckpoint | string {
  const head = openCheckpoint(text, log);
  if (typeof head === 'string') return head;
  const hashes = proof.map(canonicalBase64);
  if (hashes.some((hash) => hash?.length !== hashBytes)) return 'the log proof holds something that is not a hash';
  const root = rootOfInclusion(leafHash(leafBytes(leaf)), position, head.size, hashes as Buffer[], nodeHash);
  return root?.equals(head.root) ? head : 'the log proof does not lead to the root of its checkpoint';
}
