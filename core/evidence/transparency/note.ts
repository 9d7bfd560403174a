/** Signed notes (C2SP signed-note): a text with lines of signatures below it, and the keys that make and check them. */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
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

/** A log's key, wherever its private half is. */
export interface LogSigner extends NoteKey {
  /** The Ed25519 signature. @throws GatewayError `service_unavailable` when the key does not answer. */
  sign(message: Uint8Array): Promise<Uint8Array>;
  /** The key before it, while both sign: who trusts either of them can check a note [transparency.key-rotation]. */
  readonly beside?: LogSigner | undefined;
  /** Keys before these, which sign no more; newest first. */
  readonly former?: readonly NoteKey[] | undefined;
}

/** The keys under which notes of a log may stand, newest first. */
export const keysOfLog = ({ beside, former = [], ...key }: LogSigner): readonly NoteKey[] => [
  key,
  ...(beside ? [beside] : []),
  ...former,
];

export interface NoteSignature {
  readonly name: string;
  readonly id: Buffer;
  /** What follows the key id. */
  readonly bytes: Buffer;
}

interface Note {
  /** With its last line break. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** Prefix of an Ed25519 key in SPKI form. */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

export const rawKey = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' }).subarray(-32);

function noteKeyId(name: string, type: NoteKeyType, key: Uint8Array): Buffer {
  return createHash('sha256').update(`${name}\n`).update(Uint8Array.of(type)).update(key).digest().subarray(0, 4);
}

/** Names have neither spaces nor plus signs. */
const isKeyName = (name: string): boolean => name !== '' && !/[\s+]/u.test(name) && name.isWellFormed();

/** @throws TypeError for a name that notes cannot carry, and for a key that is not Ed25519. */
export function noteSigner(name: string, privateKey: KeyObject, type: NoteKeyType = noteKeyTypes.ed25519): NoteSigner {
  return { ...noteKey(name, createPublicKey(privateKey), type), privateKey };
}

/** @throws TypeError for a name that notes cannot carry, and for a key that is not Ed25519. */
function noteKey(name: string, publicKey: KeyObject, type: NoteKeyType = noteKeyTypes.ed25519): NoteKey {
  if (!isKeyName(name)) throw new TypeError(`${JSON.stringify(name)} is not a key name: it takes no space and no +`);
  if (publicKey.asymmetricKeyType !== 'ed25519') throw new TypeError('the key is not an Ed25519 key');
  return { name, type, publicKey, id: noteKeyId(name, type, rawKey(publicKey)) };
}

/**
 * A key of a tenant's log. Its name carries a digest of the log's first key, so no two gateways share one, and the log keeps its
 * name when its key is rotated.
 */
export function logKeyOf(publicKey: KeyObject, tenant: string, first = publicKey): NoteKey {
  const id = createHash('sha256').update(rawKey(first)).digest('hex').slice(0, 16);
  return noteKey(`agent-governance-gateway/${id}/${encodeURIComponent(tenant)}`, publicKey);
}

/** `<name>+<id>+<base64 of type and key>`. */
export function verifierKey({ name, id, type, publicKey }: NoteKey): string {
  const key = Buffer.concat([Uint8Array.of(type), rawKey(publicKey)]);
  return `${name}+${id.toString('hex')}+${key.toString('base64')}`;
}

/** The key a verifier key text names; undefined when the text is not one of an Ed25519 or a cosignature key. */
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

/** The bytes of a base64 text in its one right spelling. */
export function canonicalBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

/** The line of a signature, without its line break. */
export const signatureLine = ({ name, id, bytes }: NoteSignature): string =>
  `— ${name} ${Buffer.concat([id, bytes]).toString('base64')}`;

/** The note of a text, which ends with a line break, under the Ed25519 signatures of the keys that sign now. */
export async function signNote(text: string, signer: LogSigner): Promise<string> {
  const signers = signer.beside ? [signer, signer.beside] : [signer];
  const lines = await Promise.all(
    signers.map(async (each) => signatureLine({ ...each, bytes: Buffer.from(await each.sign(Buffer.from(text))) })),
  );
  return `${text}\n${lines.join('\n')}\n`;
}

const maxSignatures = 100;

/** Reads a note; undefined for what is not one. Signatures are not checked. */
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

/** Whether a signature claims to be of this key. */
export const claims = (signature: NoteSignature, key: NoteKey): boolean =>
  signature.name === key.name && signature.id.equals(key.id);

/** Whether the note carries a signature of this Ed25519 key, and every one that claims to be of it holds. */
export function isSignedBy({ text, signatures }: Note, key: NoteKey): boolean {
  const own = signatures.filter((signature) => claims(signature, key));
  return own.length > 0 && own.every(({ bytes }) => holds(text, key.publicKey, bytes));
}

/** Signatures that hold, by their key: bundles of one export rest on the same checkpoint, and its check is most of what a proof costs. */
const knownOf = remembered((_: KeyObject) => new RecentMap<string, true>({ max: 64 }));

/** Whether an Ed25519 signature over a text holds; one that held before is not computed again [transparency.once]. */
export function holds(text: string, key: KeyObject, signature: Buffer): boolean {
  const known = knownOf(key);
  const what = `${signature.toString('base64')} ${text}`;
  if (known.get(what)) return true;
  if (!verify(null, Buffer.from(text), key, signature)) return false;
  known.set(what, true);
  return true;
}
