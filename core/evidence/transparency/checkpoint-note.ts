/** Checkpoints (C2SP tlog-checkpoint) and the cosignatures of witnesses (cosignature/v1) over them. */
import { sign } from 'node:crypto';
import {
  canonicalBase64,
  claims,
  holds,
  isSignedBy,
  type LogSigner,
  type NoteKey,
  type NoteSignature,
  type NoteSigner,
  noteKeyTypes,
  readNote,
  signatureLine,
  signNote,
} from './note.ts';
import { hashBytes } from './tree.ts';

/** Where a log stands. */
export interface TreeHead {
  /** The log's name. */
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
}

export const checkpointText = ({ origin, size, root }: TreeHead): string =>
  `${origin}\n${size}\n${root.toString('base64')}\n`;

/** @throws what the signer throws. */
export const signTreeHead = (head: TreeHead, signer: LogSigner): Promise<string> =>
  signNote(checkpointText(head), signer);

/** The tree head a checkpoint's text names; undefined for another text. Lines behind the first three are extensions. */
function readTreeHead(text: string): TreeHead | undefined {
  const [origin = '', size = '', encoded = '', ...extensions] = text.split('\n');
  const root = canonicalBase64(encoded);
  if (origin === '' || !/^(0|[1-9]\d{0,15})$/.test(size) || root?.length !== hashBytes) return undefined;
  if (extensions.at(-1) !== '' || extensions.slice(0, -1).includes('')) return undefined;
  const count = Number(size);
  return Number.isSafeInteger(count) ? { origin, size: count, root } : undefined;
}

/** A note that a log's key signed, and where it says the log stands. */
export interface OpenCheckpoint extends TreeHead {
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** One key, or those that a log had one after another. */
export type LogTrusted = NoteKey | readonly NoteKey[];

/**
 * @param trusted keys of the log, of which one has signed; without any no signature is checked.
 * @returns the checkpoint, or in words why it is not one of the log with these keys. Never throws.
 */
export function openCheckpoint(note: string, trusted: LogTrusted | undefined): OpenCheckpoint | string {
  const read = readNote(note);
  if (!read) return 'the checkpoint is not a signed note';
  const head = readTreeHead(read.text);
  if (!head) return 'the text of the checkpoint does not name an origin, a size and a root hash';
  const keys = trusted === undefined ? [] : [trusted].flat();
  if (keys.length === 0) return { ...head, ...read };
  const witness = keys.find(({ type }) => type !== noteKeyTypes.ed25519);
  if (witness) return `the key of ${witness.name} is a witness's key: give the key of the log`;
  const own = keys.filter(({ name }) => name === head.origin);
  if (own.length === 0) return `the checkpoint is of the log ${head.origin}, the key of ${keys[0]!.name}`;
  // A signature that claims to be of a trusted key has to hold, whatever stands beside it.
  const claimed = own.filter((key) => read.signatures.some((signature) => claims(signature, key)));
  if (claimed.length > 0 && claimed.every((key) => isSignedBy(read, key))) return { ...head, ...read };
  return `the checkpoint is not signed by ${own.length === 1 ? 'the key' : `one of the ${own.length} trusted keys`} of ${head.origin}`;
}

/** What a witness signs: its time, in seconds, and the whole text of the checkpoint. */
const cosigned = (text: string, seconds: number): string => `cosignature/v1\ntime ${seconds}\n${text}`;

/** The line of a cosignature, to be put below the checkpoint's signatures. @param seconds since 1970. */
export function cosign(text: string, seconds: number, witness: NoteSigner): string {
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(seconds));
  const signature = sign(null, Buffer.from(cosigned(text, seconds)), witness.privateKey);
  return signatureLine({ ...witness, bytes: Buffer.concat([time, signature]) });
}

/** When the witness saw the checkpoint, in seconds since 1970; undefined without a cosignature of this key that holds. */
export function cosignedAt(
  { text, signatures }: Pick<OpenCheckpoint, 'text' | 'signatures'>,
  witness: NoteKey,
): number | undefined {
  if (witness.type !== noteKeyTypes.cosignature) return undefined;
  for (const signature of signatures) {
    if (!claims(signature, witness) || signature.bytes.length !== 72) continue;
    const seconds = Number(signature.bytes.readBigUInt64BE(0));
    if (!Number.isSafeInteger(seconds)) continue;
    if (holds(cosigned(text, seconds), witness.publicKey, signature.bytes.subarray(8))) return seconds;
  }
  return undefined;
}
