/** Signed notes (C2SP signed-note) and their keys. A note consists of text followed by signature lines. */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { sha256 } from '#core/kernel/canonical.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { remembered } from '#core/kernel/remembered.ts';

/** Signature types of C2SP signed-note. */
export const noteKeyTypes = { ed25519: 0x01, cosignature: 0x04 } as const;
type NoteKeyType = (typeof noteKeyTypes)[keyof typeof noteKeyTypes];

export interface NoteKey {
  readonly name: string;
  /** First four bytes of SHA-256(name ‖ LF ‖ type ‖ key). */
  readonly id: Buffer;
  readonly type: NoteKeyType;
  readonly publicKey: KeyObject;
}

export interface NoteSigner extends NoteKey {
  readonly privateKey: KeyObject;
}

/** A log's key. Its private part may be in a key store. */
export interface LogSigner extends NoteKey {
  /** Returns the Ed25519 signature. @throws GatewayError `service_unavailable` if the key is unavailable. */
  sign(message: Uint8Array): Promise<Uint8Array>;
  /** The previous key, while both keys sign, so that a note can be checked with either [transparency.log]. */
  readonly beside?: LogSigner | undefined;
  /** Earlier keys that no longer sign, newest first. */
  readonly former?: readonly NoteKey[] | undefined;
}

/** Returns all keys that may have signed a log's notes, newest first. */
export const keysOfLog = ({ beside, former = [], ...key }: LogSigner): readonly NoteKey[] => [
  key,
  ...(beside ? [beside] : []),
  ...former,
];

interface NoteSignature {
  readonly name: string;
  readonly id: Buffer;
  /** The signature without its key id. */
  readonly bytes: Buffer;
}

export interface Note {
  /** The text, including its final line break. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** Prefix of an Ed25519 key in SPKI form. */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

export const rawKey = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' }).subarray(-32);

function noteKeyId(name: string, type: NoteKeyType, key: Uint8Array): Buffer {
  return createHash('sha256').update(`${name}\n`).update(Uint8Array.of(type)).update(key).digest().subarray(0, 4);
}

/** Checks a key name, which must not contain spaces or plus signs. */
const isKeyName = (name: string): boolean => name !== '' && !/[\s+]/u.test(name) && name.isWellFormed();

/** Returns a key that signs notes. @throws TypeError for an invalid name, and for a key that is not Ed25519. */
export function noteSigner(name: string, privateKey: KeyObject, type: NoteKeyType = noteKeyTypes.ed25519): NoteSigner {
  return { ...noteKey(name, createPublicKey(privateKey), type), privateKey };
}

/** Returns a key that checks notes. @throws TypeError for an invalid name, and for a key that is not Ed25519. */
function noteKey(name: string, publicKey: KeyObject, type: NoteKeyType = noteKeyTypes.ed25519): NoteKey {
  if (!isKeyName(name))
    throw new TypeError(`${JSON.stringify(name)} is not a key name: it must not contain a space or +`);
  if (publicKey.asymmetricKeyType !== 'ed25519') throw new TypeError('the key is not an Ed25519 key');
  return { name, type, publicKey, id: noteKeyId(name, type, rawKey(publicKey)) };
}

/**
 * Returns a key for a tenant's log. The name contains a digest of the log's first key, so it is unique to a gateway and
 * survives a key rotation.
 */
export function logKeyOf(publicKey: KeyObject, tenant: string, first = publicKey): NoteKey {
  const id = sha256(rawKey(first)).slice(0, 16);
  return noteKey(`agent-governance-gateway/${id}/${encodeURIComponent(tenant)}`, publicKey);
}

/** Formats a verifier key: `<name>+<id>+<base64 of type and key>`. */
export function verifierKey({ name, id, type, publicKey }: NoteKey): string {
  const key = Buffer.concat([Uint8Array.of(type), rawKey(publicKey)]);
  return `${name}+${id.toString('hex')}+${key.toString('base64')}`;
}

/** Parses a verifier key. Returns undefined if it is not an Ed25519 or cosignature key. */
export function readVerifierKey(text: string): NoteKey | undefined {
  const [, name = '', id = '', encoded = ''] = /^([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text.trim()) ?? [];
  const bytes = canonicalBase64(encoded);
  if (!isKeyName(name) || bytes?.length !== 33) return undefined;
  const type = Object.values(noteKeyTypes).find((each) => each === bytes[0]);
  const key = bytes.subarray(1);
  if (type === undefined || noteKeyId(name, type, key).toString('hex') !== id) return undefined;
  try {
    const publicKey = createPublicKey({ key: Buffer.concat([spkiPrefix, key]), format: 'der', type: 'spki' });
    return { name, type, publicKey, id: Buffer.from(id, 'hex') };
  } catch {
    return undefined;
  }
}

/** Decodes base64, or returns undefined if the encoding is not canonical. */
export function canonicalBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

/** Formats a signature line, without its line break. */
export const signatureLine = ({ name, id, bytes }: NoteSignature): string =>
  `— ${name} ${Buffer.concat([id, bytes]).toString('base64')}`;

/** Signs text, which must end with a line break, with the current Ed25519 keys. */
export async function signNote(text: string, signer: LogSigner): Promise<string> {
  const signers = signer.beside ? [signer, signer.beside] : [signer];
  const lines = await Promise.all(
    signers.map(async (each) => signatureLine({ ...each, bytes: Buffer.from(await each.sign(Buffer.from(text))) })),
  );
  return `${text}\n${lines.join('\n')}\n`;
}

const maxSignatures = 100;

/** Parses a note, or returns undefined. Does not check signatures. */
export function readNote(note: string): Note | undefined {
  const cut = note.lastIndexOf('\n\n');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: notes may hold none but the line break.
  if (cut < 0 || !note.endsWith('\n') || !note.isWellFormed() || /[\0-\x09\x0b-\x1f]/.test(note)) return undefined;
  const signatures = note
    .slice(cut + 2, -1)
    .split('\n')
    .map(readSignatureLine);
  if (signatures.length > maxSignatures || signatures.some((each) => !each)) return undefined;
  return { text: note.slice(0, cut + 1), signatures: signatures as NoteSignature[] };
}

function readSignatureLine(line: string): NoteSignature | undefined {
  const [, name = '', encoded = ''] = /^— (\S+) (\S+)$/u.exec(line) ?? [];
  const bytes = canonicalBase64(encoded);
  if (!isKeyName(name) || !bytes || bytes.length < 5) return undefined;
  return { name, id: bytes.subarray(0, 4), bytes: bytes.subarray(4) };
}

/** Reports whether a signature claims to be from this key. */
export const claims = (signature: NoteSignature, key: NoteKey): boolean =>
  signature.name === key.name && signature.id.equals(key.id);

/**
 * Reports whether a note has a signature from this Ed25519 key, and all signatures that claim to be from this key are
 * valid.
 */
export function isSignedBy({ text, signatures }: Note, key: NoteKey): boolean {
  const own = signatures.filter((signature) => claims(signature, key));
  return own.length > 0 && own.every(({ bytes }) => isValidSignature(text, key.publicKey, bytes));
}

/**
 * Cache of valid signatures by key. Bundles from one export share a checkpoint, and checking it accounts for most of a
 * proof's cost.
 */
const knownOf = remembered((_: KeyObject) => new RecentMap<string, true>({ max: 64 }));

/** Verifies an Ed25519 signature over text. Caches valid signatures [transparency.tree]. */
export function isValidSignature(text: string, key: KeyObject, signature: Buffer): boolean {
  const known = knownOf(key);
  const what = `${signature.toString('base64')} ${text}`;
  if (known.get(what)) return true;
  if (!verify(null, Buffer.from(text), key, signature)) return false;
  known.set(what, true);
  return true;
}
