/** Checkpoints (C2SP tlog-checkpoint) and witness cosignatures (cosignature/v1) over them. */
import { sign } from 'node:crypto';
import {
  canonicalBase64,
  claims,
  isSignedBy,
  isValidSignature,
  type LogSigner,
  type Note,
  type NoteKey,
  type NoteSigner,
  noteKeyTypes,
  readNote,
  signatureLine,
  signNote,
} from './note.ts';
import { hashBytes } from './tree.ts';

/** Size and root hash of a log. */
export interface TreeHead {
  /** The log's name. */
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
}

export const checkpointText = ({ origin, size, root }: TreeHead): string =>
  `${origin}\n${size}\n${root.toString('base64')}\n`;

/** Signs a tree head as a checkpoint. @throws any error thrown by the signer. */
export const signTreeHead = (head: TreeHead, signer: LogSigner): Promise<string> =>
  signNote(checkpointText(head), signer);

/** Parses the tree head of a checkpoint, or returns undefined. Lines after the first three are extensions. */
function readTreeHead(text: string): TreeHead | undefined {
  const [origin = '', size = '', encoded = '', ...extensions] = text.split('\n');
  const root = canonicalBase64(encoded);
  if (origin === '' || !/^(0|[1-9]\d{0,15})$/.test(size) || root?.length !== hashBytes) return undefined;
  if (extensions.at(-1) !== '' || extensions.slice(0, -1).includes('')) return undefined;
  const count = Number(size);
  return Number.isSafeInteger(count) ? { origin, size: count, root } : undefined;
}

/** A parsed checkpoint. */
export type OpenCheckpoint = TreeHead & Note;

/** A log's single key, or all the keys it has had over time. */
export type LogTrusted = NoteKey | readonly NoteKey[];

/**
 * Opens a checkpoint.
 * @param trusted keys of the log, one of which must have signed. If empty, no signature is checked.
 * @returns the checkpoint, or a message explaining why it was not accepted. Never throws.
 */
export function openCheckpoint(note: string, trusted: LogTrusted | undefined): OpenCheckpoint | string {
  const read = readNote(note);
  if (!read) return 'the checkpoint is not a signed note';
  const head = readTreeHead(read.text);
  if (!head) return 'the text of the checkpoint does not name an origin, a size and a root hash';
  const keys = trusted === undefined ? [] : [trusted].flat();
  if (keys.length === 0) return { ...head, ...read };
  const witness = keys.find(({ type }) => type !== noteKeyTypes.ed25519);
  if (witness) return `the key of ${witness.name} is a witness key: give the log key`;
  const own = keys.filter(({ name }) => name === head.origin);
  if (own.length === 0)
    return `the checkpoint belongs to the log ${head.origin}, but the key belongs to ${keys[0]!.name}`;
  // A signature that claims to be from a trusted key must be valid, regardless of any other signatures.
  const claimed = own.filter((key) => read.signatures.some((signature) => claims(signature, key)));
  if (claimed.length > 0 && claimed.every((key) => isSignedBy(read, key))) return { ...head, ...read };
  return `the checkpoint is not signed by ${own.length === 1 ? 'the key' : `one of the ${own.length} trusted keys`} of ${head.origin}`;
}

/** Returns a log's signer that has the private key at hand. */
export const logSigner = ({ privateKey, ...key }: NoteSigner): LogSigner => ({
  ...key,
  sign: async (message) => sign(null, message, privateKey),
});

/** Returns the text that a witness signs: the time in seconds, followed by the full text of the checkpoint. */
const cosignatureText = (text: string, seconds: number): string => `cosignature/v1\ntime ${seconds}\n${text}`;

/** Returns a cosignature line, to be added below the checkpoint's signatures. @param seconds since 1970. */
export function cosign(text: string, seconds: number, witness: NoteSigner): string {
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(seconds));
  const signature = sign(null, Buffer.from(cosignatureText(text, seconds)), witness.privateKey);
  return signatureLine({ ...witness, bytes: Buffer.concat([time, signature]) });
}

/**
 * Returns the time at which the witness saw the checkpoint, in seconds since 1970, or undefined if the witness has no
 * valid cosignature on it.
 */
export function cosignedAt({ text, signatures }: Note, witness: NoteKey): number | undefined {
  if (witness.type !== noteKeyTypes.cosignature) return undefined;
  for (const signature of signatures) {
    if (!claims(signature, witness) || signature.bytes.length !== 72) continue;
    const seconds = Number(signature.bytes.readBigUInt64BE(0));
    if (!Number.isSafeInteger(seconds)) continue;
    if (isValidSignature(cosignatureText(text, seconds), witness.publicKey, signature.bytes.subarray(8)))
      return seconds;
  }
  return undefined;
}
