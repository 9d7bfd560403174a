/** Checkpoints: where chains stood at one moment, under one signature (`docs/decisions/0042`). */
import {
  type ChainPoint,
  type Checkpoint,
  type SessionCheckpoint,
  sessionCheckpointSchema,
} from '#core/contracts/evidence.ts';
import { canonicalize, hashDomain, sha256 } from '#core/kernel/canonical.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { describeIssue } from '#core/kernel/issue-words.ts';
import { leafHash, rootFromPath, treePath, treeRoot } from './merkle.ts';
import type { Signer } from './ports.ts';
import { namedSignatureFault, type PublicKeys } from './signature.ts';

/** What is stored in place of a checkpoint was not signed by this gateway. */
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

/** What the next checkpoint of a log names as `previous`. */
export const checkpointHash = (checkpoint: Checkpoint): string =>
  sha256(statementText(checkpoint), hashDomain.checkpoint);

const signedBytes = (statement: Omit<Checkpoint, 'signature'>): Uint8Array =>
  new TextEncoder().encode(String.fromCharCode(hashDomain.checkpoint) + statementText(statement));

/** @param points at least one. */
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

/** The part of a checkpoint that speaks for one of its points. */
export function checkpointOf(
  checkpoint: Checkpoint,
  points: readonly ChainPoint[],
  position: number,
): SessionCheckpoint {
  return { point: points[position]!, position, path: treePath(points.map(leafOf), position), checkpoint };
}

/** Whether these are the points the checkpoint signs. */
export const isOver = (checkpoint: Checkpoint, points: readonly ChainPoint[]): boolean =>
  points.length === checkpoint.size && treeRoot(points.map(leafOf)) === checkpoint.root;

/** What is wrong with a checkpoint's signature under these keys; undefined when one of them signed it. Never throws. */
export const unsignedCheckpoint = (checkpoint: Checkpoint, publicKeys: PublicKeys): string | undefined =>
  namedSignatureFault(signedBytes(withoutSignature(checkpoint)), checkpoint.signature, publicKeys);

function withoutSignature({ signature: _signature, ...statement }: Checkpoint) {
  return statement;
}

/** What is wrong with something that is said to be a session's checkpoint. Never throws. */
export function sessionCheckpointDefect(candidate: unknown, publicKeys: PublicKeys): string | undefined {
  const parsed = sessionCheckpointSchema.safeParse(candidate, { error: describeIssue });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `the checkpoint is malformed at ${issue?.path.join('.') || 'its root'}: ${issue?.message}`;
  }
  const { point, position, path, checkpoint } = parsed.data;
  if (rootFromPath(leafOf(point), position, checkpoint.size, path) !== checkpoint.root) {
    return 'the checkpoint does not speak for this session: its path does not lead to its root';
  }
  const unsigned = publicKeys.length === 0 ? undefined : unsignedCheckpoint(checkpoint, publicKeys);
  return unsigned && `the checkpoint's signature fails: ${unsigned}`;
}
