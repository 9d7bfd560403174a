/**
 * Checkpoints: the ends of several chains at one point in time, covered by a single signature (`docs/decisions/0042`).
 */
import {
  type ChainPoint,
  type Checkpoint,
  type SessionCheckpoint,
  sessionCheckpointSchema,
} from '#core/contracts/evidence.ts';
import { canonicalize, hashDomain, sha256 } from '#core/kernel/canonical.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { describeIssue } from '#core/kernel/issue-words.ts';
import { leafHash, rootFromPath, treePaths, treeRoot } from './merkle.ts';
import type { Signer } from './ports.ts';
import { namedSignatureFault, type PublicKeys } from './signature.ts';

/** Error for a stored checkpoint that was not signed by this gateway. */
export class CheckpointDamage extends GatewayError {
  constructor(reason: string) {
    super('server_error', `The newest checkpoint cannot be relied on: ${reason}.`);
  }
}

const leafOf = (point: ChainPoint): string => leafHash(canonicalize(point));

function statementText({
  signature: _signature,
  ...statement
}: Omit<Checkpoint, 'signature'> & { signature?: unknown }) {
  return canonicalize(statement);
}

/** Computes the hash that a log's next checkpoint carries as `previous`. */
export const checkpointHash = (checkpoint: Checkpoint): string =>
  sha256(statementText(checkpoint), hashDomain.checkpoint);

const signedBytes = (statement: Omit<Checkpoint, 'signature'>): Uint8Array =>
  new TextEncoder().encode(String.fromCharCode(hashDomain.checkpoint) + statementText(statement));

/** Signs a checkpoint over chain points. @param points one or more points. */
export async function signCheckpoint(
  points: readonly ChainPoint[],
  { created_at, previous }: Pick<Checkpoint, 'created_at' | 'previous'>,
  signer: Pick<Signer, 'keyId' | 'sign'>,
): Promise<Checkpoint> {
  const root = treeRoot(points.map(leafOf));
  const statement = { version: 1, created_at, size: points.length, root, previous } as const;
  const value = await signer.sign(signedBytes(statement));
  return { ...statement, signature: { alg: 'ECDSA_P256_SHA256', key_id: signer.keyId, value } };
}

/**
 * Returns a function that maps a position to the checkpoint of the session at that position: its point and the path to
 * the signed root.
 */
export function checkpointsOf(
  checkpoint: Checkpoint,
  points: readonly ChainPoint[],
): (position: number) => SessionCheckpoint {
  const pathOf = treePaths(points.map(leafOf));
  return (position) => ({ point: points[position]!, position, path: pathOf(position), checkpoint });
}

/** Reports whether a checkpoint covers exactly these points. */
export const isOver = (checkpoint: Checkpoint, points: readonly ChainPoint[]): boolean =>
  points.length === checkpoint.size && treeRoot(points.map(leafOf)) === checkpoint.root;

/** Returns the fault in a checkpoint's signature, or undefined if one of the given keys signed it. Never throws. */
export const unsignedCheckpoint = (checkpoint: Checkpoint, publicKeys: PublicKeys): string | undefined =>
  namedSignatureFault(signedBytes(withoutSignature(checkpoint)), checkpoint.signature, publicKeys);

function withoutSignature({ signature: _signature, ...statement }: Checkpoint) {
  return statement;
}

/** Returns the defect in a claimed session checkpoint, or undefined. Never throws. */
export function sessionCheckpointDefect(candidate: unknown, publicKeys: PublicKeys): string | undefined {
  const parsed = sessionCheckpointSchema.safeParse(candidate, { error: describeIssue });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `the checkpoint is malformed at ${issue?.path.join('.') || 'its root'}: ${issue?.message}`;
  }
  const { point, position, path, checkpoint } = parsed.data;
  if (rootFromPath(leafOf(point), position, checkpoint.size, path) !== checkpoint.root)
    return 'the checkpoint does not cover this session: its path does not lead to its root';
  const unsigned = publicKeys.length === 0 ? undefined : unsignedCheckpoint(checkpoint, publicKeys);
  return unsigned && `the checkpoint's signature fails: ${unsigned}`;
}
