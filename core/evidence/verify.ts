/**
 * Verifies a session's chain from its entries and, optionally, a public key. `broken_link.index` is the 0-based
 * position, in the list as supplied, of the first entry that is missing, altered, or not linked to its predecessors. If
 * all entries are valid but the manifest or the stored head disagrees, the index is the number of entries.
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
import { followChain } from './follow-chain.ts';
import { checkInLog, type LoggedEntry } from './in-log.ts';
import { isSameKey, linkedKeys } from './key-succession.ts';
import type { SessionHead } from './ports.ts';
import { examineSeal, type Seal } from './seal.ts';
import type { PublicKeys } from './signature.ts';
import { ChainWalk, type EntryLine, headEnd, manifestEnd } from './walk.ts';
import type { Witness } from './witness.ts';

export type { EntryLine } from './walk.ts';

interface Expectation {
  /** The session manifest, which is no more trusted than the entries. */
  readonly manifest?: unknown;
  /**
   * PEM of the trusted key, obtained independently of the bundle. If there are several keys, any of them may have
   * signed.
   */
  readonly trustedPublicKey?: PublicKeys | undefined;
  /**
   * PEM of the key that came with the manifest. It proves that the manifest is unaltered, but does not prove its
   * origin.
   */
  readonly accompanyingPublicKey?: PublicKeys | undefined;
  /** The stored head of the live chain. It is trusted, because nothing else shows where an open chain ends. */
  readonly head?: SessionHead | undefined;
  /** Checkpoint and archive of the chain. */
  readonly witness?: Partial<Witness> | undefined;
  /** Called for every entry up to and including the first broken one. */
  readonly onEntry?: ((line: EntryLine) => void) | undefined;
}

/**
 * Verifies entries in the order received, in constant memory. Hostile entries never cause an exception. A failing
 * source does, since the failure proves nothing about the chain.
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

/**
 * Does the same as `verifyChain`, step by step: yields one line per entry up to and including the first broken one,
 * then returns the verdict.
 */
export async function* verifySteps(
  entries: AsyncIterable<unknown> | Iterable<unknown>,
  expectation: Omit<Expectation, 'onEntry'>,
): AsyncGenerator<EntryLine, Verification> {
  const seal = examineSeal(expectation);
  const walk = new ChainWalk(expectation.head, seal.manifest, expectation.witness);
  yield* followChain(walk, entries, expectation.witness);
  return verdict(walk, seal, expectation.head);
}

/**
 * Limits for parsing a bundle: 64 levels for a request, plus the levels of bundle, list, entry and body, plus a
 * reserve.
 */
export const bundleRules: JsonRules = {
  nesting: 80,
  values: Number.POSITIVE_INFINITY,
  numbers: 'double',
  protoKeys: 'carried',
};

/**
 * Verifies an exported bundle, given as JSON text, its bytes, or the parsed document. Text or bytes are preferable,
 * since duplicate keys are detected in them. Never throws.
 */
export async function verifyBundle(
  bundle: unknown,
  trustedPublicKey?: PublicKeys,
  onEntry?: (line: EntryLine) => void,
  elsewhere?: FindCheckpoint,
  log: LogTrust = {},
): Promise<Verification> {
  const opened = openBundle(bundle);
  if (typeof opened === 'string') return unreadableEvidence(opened, trustedPublicKey);
  const entries = opened.entries as EvidenceEntry[];
  return verifyOpened(opened, () => ({ entries, held: entries }), { trustedPublicKey, onEntry, elsewhere, log });
}

/** Options for verifying a bundle. */
export interface VerifyBundleOptions {
  readonly trustedPublicKey?: PublicKeys | undefined;
  readonly onEntry?: ((line: EntryLine) => void) | undefined;
  readonly elsewhere?: FindCheckpoint | undefined;
  readonly log: LogTrust;
}

/** The entries to verify, and the fields of the entries already read. */
interface Source {
  readonly entries: AsyncIterable<unknown> | Iterable<unknown>;
  readonly held: readonly LoggedEntry[];
}

/** Verifies a bundle whose other members are known, while its entries may still be arriving. */
export async function verifyOpened(
  { manifest, public_key, checkpoint, successions, log_proof }: OpenBundle,
  source: () => Source,
  { trustedPublicKey, onEntry, elsewhere, log }: VerifyBundleOptions,
): Promise<Verification> {
  const trusted = trustedPublicKey === undefined ? undefined : linkedKeys(trustedPublicKey, successions);
  const accompanying = linkedKeys(public_key, successions);
  const keys = { trustedPublicKey: trusted, accompanyingPublicKey: accompanying };
  const defect = checkpoint === undefined ? undefined : sessionCheckpointDefect(checkpoint, trusted ?? accompanying);
  const own = checkpointOfBundle(defect === undefined ? checkpoint : undefined);
  const witness = elsewhere ? elsewhere(manifest as Partial<SessionManifest>) : own;
  const { entries, held } = source();
  const verification = await verifyChain(entries, { manifest, ...keys, witness, onEntry });
  const logged = verification.valid ? checkInLog(held, log_proof, log) : {};
  const foreign =
    trusted && !trusted.some((key) => isSameKey(key, public_key))
      ? 'the public_key of the bundle is not the key it is verified with'
      : undefined;
  const reason = defect ?? foreign;
  const broken = reason === undefined ? logged.broken_link : { index: verification.total_entries, reason };
  if (broken === undefined || !verification.valid) return { ...verification, ...logged };
  return { ...verification, valid: false, broken_link: broken };
}

/** Lookup of the session in a log of checkpoints obtained independently of the bundle. The manifest is untrusted. */
export type FindCheckpoint = (manifest: Partial<SessionManifest>) => Pick<Witness, 'checkpoint' | 'notChecked'>;

/** Returns the checkpoint from a bundle. The session it belongs to is checked during the walk. */
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

/** Returns the bundle's members, or a message if it is not a bundle. */
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
  if (!Array.isArray(entries)) return 'the bundle contains no list of entries';
  if (typeof public_key !== 'string') return 'the bundle contains no public_key';
  if (typeof manifest !== 'object' || manifest === null) return 'the bundle contains no manifest';
  const [other] = Object.keys(others);
  if (other !== undefined) return `the bundle contains a field that bundles do not have: ${JSON.stringify(other)}`;
  if (!Array.isArray(successions)) return 'the bundle contains no list of successions';
  const proofs = { ...(checkpoint !== undefined && { checkpoint }), ...(log_proof !== undefined && { log_proof }) };
  return { manifest, entries, public_key, successions, ...proofs };
}

/**
 * Reports whether a verdict relies only on data that came with the chain, in which case it proves nothing to third
 * parties.
 */
export const isUnanchored = ({ not_checked }: Pick<Verification, 'not_checked'>): boolean =>
  not_checked.some((said) => said === originNotChecked || said === completenessNotChecked);

export const originNotChecked = 'origin not checked';
const completenessNotChecked = 'completeness not checked: neither a manifest nor a stored head was given';

export function unreadableEvidence(reason: string, trustedPublicKey: PublicKeys | undefined): Verification {
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
