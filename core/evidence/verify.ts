/**
 * Verifies a session's chain, entry by entry, with nothing but the entries and, if there is one, a public key
 *.
 *
 * `broken_link.index` is the 0-based position, in the list as supplied, of the first entry that is missing, altered, or
 * does not follow from those before it. The manifest and the stored head stand behind the last entry: when every entry
 * holds and one of these disagrees, the index is the number of entries.
 */
import {
  bundleFormat,
  type EvidenceEntry,
  type SessionCheckpoint,
  type SessionManifest,
  type Verification,
} from '#core/contracts/evidence.ts';
import type { LogTrust } from '#core/evidence/transparency/session-proof.ts';
import { type JsonRules, parseStrict, parseStrictBytes } from '#core/kernel/json.ts';
import { sessionCheckpointDefect } from './checkpoint.ts';
import { inLog, type LoggedEntry } from './in-log.ts';
import { isSameKey, linkedKeys } from './key-succession.ts';
import { followChain } from './pace.ts';
import type { SessionHead } from './ports.ts';
import { examineSeal, type Seal } from './seal.ts';
import type { PublicKeys } from './signature.ts';
import { ChainWalk, type EntryLine, headEnd, manifestEnd } from './walk.ts';
import type { Witness } from './witness.ts';

export type { EntryLine } from './walk.ts';

interface Expectation {
  /** The session manifest, as untrusted as the entries. */
  readonly manifest?: unknown;
  /** PEM of the key the verifier trusts, got elsewhere than from the bundle; of several, any may have signed. */
  readonly trustedPublicKey?: PublicKeys | undefined;
  /** PEM that travelled with the manifest: shows it was not altered since, never where it came from. */
  readonly accompanyingPublicKey?: PublicKeys | undefined;
  /** The stored head of the live chain: trusted, and the only thing that knows where an open chain ends. */
  readonly head?: SessionHead | undefined;
  /** What other places say of the chain. */
  readonly witness?: Partial<Witness> | undefined;
  /** Called for every entry up to and including the first broken one. */
  readonly onEntry?: ((line: EntryLine) => void) | undefined;
}

/**
 * Verifies entries in the order they come, in constant memory.
 * Hostile entries never make it throw; a fault of the source (a store that fails) does, because it proves nothing.
 */
export async function verifyChain(
  entries: AsyncIterable<unknown> | Iterable<unknown>,
  expectation: Expectation = {},
): Promise<Verification> {
  const steps = verifySteps(entries, expectation);
  for (;;) {
    const { value, done } = await steps.next();
    if (done) return value;
    expectation.onEntry?.(value);
  }
}

/** The same, entry by entry: yields the line of every entry up to and including the first broken one, then the verdict. */
export async function* verifySteps(
  entries: AsyncIterable<unknown> | Iterable<unknown>,
  expectation: Omit<Expectation, 'onEntry'> = {},
): AsyncGenerator<EntryLine, Verification> {
  const seal = examineSeal(expectation);
  const walk = new ChainWalk(expectation.head, seal.manifest, expectation.witness);
  yield* followChain(walk, entries, expectation.witness);
  return verdict(walk, seal, expectation.head);
}

/** Levels a bundle may nest: a request's 64 and those of the bundle, its list, the entry and its body, with some room. */
export const bundleRules: JsonRules = {
  nesting: 80,
  values: Number.POSITIVE_INFINITY,
  numbers: 'double',
  protoKeys: 'carried',
};

/**
 * Verifies an exported bundle: JSON text, its bytes, or the parsed document. Text and bytes are better: duplicate keys,
 * which parsing hides, are found in them. Never throws.
 */
export async function verifyBundle(
  bundle: unknown,
  trustedPublicKey?: PublicKeys,
  onEntry?: (line: EntryLine) => void,
  elsewhere?: CheckpointsElsewhere,
  log: LogTrust = {},
): Promise<Verification> {
  const opened = openBundle(bundle);
  if (typeof opened === 'string') return unreadable(opened, trustedPublicKey);
  const entries = opened.entries as EvidenceEntry[];
  return verifyOpened(opened, () => ({ entries, held: entries }), { trustedPublicKey, onEntry, elsewhere, log });
}

/** How a bundle is verified. */
export interface Verifying {
  readonly trustedPublicKey?: PublicKeys | undefined;
  readonly onEntry?: ((line: EntryLine) => void) | undefined;
  readonly elsewhere?: CheckpointsElsewhere | undefined;
  readonly log: LogTrust;
}

/** The entries, and what is known of those that were read. */
interface Source {
  readonly entries: AsyncIterable<unknown> | Iterable<unknown>;
  readonly held: readonly LoggedEntry[];
}

/** A bundle whose parts are known, and whose entries may still arrive. */
export async function verifyOpened(
  { manifest, public_key, checkpoint, successions, log_proof }: OpenBundle,
  source: () => Source,
  { trustedPublicKey, onEntry, elsewhere, log }: Verifying,
): Promise<Verification> {
  const trusted = trustedPublicKey === undefined ? undefined : linkedKeys(trustedPublicKey, successions);
  const accompanying = linkedKeys(public_key, successions);
  const keys = { trustedPublicKey: trusted, accompanyingPublicKey: accompanying };
  const defect = checkpoint === undefined ? undefined : sessionCheckpointDefect(checkpoint, trusted ?? accompanying);
  const own = checkpointOfBundle(defect === undefined ? checkpoint : undefined);
  const witness = elsewhere ? elsewhere(manifest as Partial<SessionManifest>) : own;
  const { entries, held } = source();
  const verification = await verifyChain(entries, { manifest, ...keys, witness, onEntry });
  const logged = verification.valid ? inLog(held, log_proof, log) : {};
  const foreign =
    trusted && !trusted.some((key) => isSameKey(key, public_key))
      ? 'the public_key of the bundle is not the key it is verified with'
      : undefined;
  const reason = defect ?? foreign;
  const broken = reason === undefined ? logged.broken_link : { index: verification.total_entries, reason };
  if (broken === undefined || !verification.valid) return { ...verification, ...logged };
  return { ...verification, valid: false, broken_link: broken };
}

/** What a log of checkpoints, got elsewhere than with the bundle, says of the session; the manifest is not to be trusted. */
export type CheckpointsElsewhere = (manifest: Partial<SessionManifest>) => Pick<Witness, 'checkpoint' | 'notChecked'>;

/** The checkpoint that came with a bundle; whose it is, the walk finds out. */
function checkpointOfBundle(given: unknown): Pick<Witness, 'checkpoint' | 'notChecked'> {
  if (given === undefined) return { notChecked: ['checkpoints not checked: the bundle carries none'] };
  const { point, checkpoint } = given as SessionCheckpoint;
  const { created_at, signature } = checkpoint;
  return { checkpoint: { point, created_at, key_id: signature.key_id }, notChecked: [] };
}

interface OpenBundle {
  readonly manifest: unknown;
  readonly entries: readonly unknown[];
  readonly public_key: string;
  readonly checkpoint?: unknown;
  readonly successions: readonly unknown[];
  readonly log_proof?: unknown;
}

/** The bundle's parts, or why it is none. */
export function openBundle(bundle: unknown): OpenBundle | string {
  let document = bundle;
  try {
    if (typeof bundle === 'string') document = parseStrict(bundle, bundleRules);
    else if (bundle instanceof Uint8Array) document = parseStrictBytes(bundle, bundleRules);
  } catch (cause) {
    return `the bundle cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`;
  }
  if (typeof document !== 'object' || document === null) return 'the bundle is not a JSON object';
  const {
    format,
    manifest,
    entries,
    public_key,
    checkpoint,
    successions = [],
    log_proof,
    ...others
  } = document as Record<string, unknown>;
  if (format !== bundleFormat) return `the bundle's format is not ${bundleFormat}`;
  if (!Array.isArray(entries)) return 'the bundle holds no list of entries';
  if (typeof public_key !== 'string') return 'the bundle holds no public_key';
  if (typeof manifest !== 'object' || manifest === null) return 'the bundle holds no manifest';
  const [other] = Object.keys(others);
  if (other !== undefined) return `the bundle holds a field that bundles do not have: ${JSON.stringify(other)}`;
  if (!Array.isArray(successions)) return 'the bundle holds no list of successions';
  const proofs = { ...(checkpoint !== undefined && { checkpoint }), ...(log_proof !== undefined && { log_proof }) };
  return { manifest, entries, public_key, successions, ...proofs };
}

/** Whether the verdict rests on what travelled with the chain alone: then it proves nothing to a stranger. */
export const isUnanchored = ({ not_checked }: Pick<Verification, 'not_checked'>): boolean =>
  not_checked.some((said) => said === originNotChecked || said === completenessNotChecked);

const originNotChecked = 'origin not checked';
const completenessNotChecked = 'completeness not checked: neither a manifest nor a stored head was given';

export function unreadable(reason: string, trustedPublicKey: PublicKeys | undefined): Verification {
  const not_checked = trustedPublicKey === undefined ? [originNotChecked] : [];
  return { valid: false, total_entries: 0, broken_link: { index: 0, reason }, not_checked };
}

function verdict(walk: ChainWalk, seal: Seal, head: SessionHead | undefined): Verification {
  const ends = [...(head ? [headEnd(head)] : []), ...(seal.manifest ? [manifestEnd(seal.manifest)] : [])];
  const broken_link =
    walk.broken ?? walk.disagreement(ends) ?? (seal.defect ? { index: walk.total, reason: seal.defect } : undefined);
  const session_manifest_hash =
    seal.manifest?.session_manifest_hash ?? (broken_link ? undefined : walk.manifest()?.session_manifest_hash);
  const { not_checked, ...compared } = walk.compared();
  return {
    valid: !broken_link,
    total_entries: walk.total,
    ...compared,
    ...(session_manifest_hash !== undefined && { session_manifest_hash }),
    ...(broken_link && { broken_link }),
    not_checked: [
      ...not_checked,
      ...(seal.originChecked ? [] : [originNotChecked]),
      ...(head || seal.given ? [] : [completenessNotChecked]),
    ],
  };
}
