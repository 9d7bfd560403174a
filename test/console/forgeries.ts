/**
 * Changes that a forger makes to a bundle using their own key: the hashes and manifest are consistent, but other
 * parties' signatures are not.
 */
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { entryHash } from '../../core/evidence/chain.ts';
import { checkpointsOf, signCheckpoint } from '../../core/evidence/checkpoint.ts';
import { passkeyChallenge } from '../../core/evidence/passkey-proof.ts';
import { manifestBytes, manifestHash } from '../../core/evidence/session-manifest.ts';
import { authenticator, type Twist } from '../support/authenticator.ts';
import type { Loose } from '../support/loose.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const keyId = createHash('sha256')
  .update(publicKey.export({ type: 'spki', format: 'der' }))
  .digest('hex')
  .slice(0, 16);

/** The position of the bundle in the single HTML file. */
export const singleFileBundle = /(<script type="application\/json" id="bundle">)([\s\S]*?)(<\/script>)/;

/**
 * Recomputes all hashes and signs the manifest with the forger's key, so that the chain itself does not reveal the
 * change.
 */
export function agreeing(bundle: Loose): Loose {
  const became = new Map<string, string>();
  let previous = '';
  for (const entry of bundle.entries) {
    const { passkey } = entry.body;
    if (passkey !== undefined) passkey.key_entry = became.get(passkey.key_entry) ?? passkey.key_entry;
    const before = entry.hash;
    entry.previous_hash = previous;
    entry.hash = previous = entryHash(entry);
    became.set(before, entry.hash);
  }
  const { manifest } = bundle;
  Object.assign(manifest, { first_hash: bundle.entries[0].hash, last_hash: previous });
  manifest.session_manifest_hash = manifestHash(manifest);
  const value = sign('sha256', manifestBytes(manifest), privateKey).toString('base64');
  manifest.signature = { ...manifest.signature, key_id: keyId, value };
  bundle.public_key = publicKey.export({ type: 'spki', format: 'pem' });
  for (const proof of ['log_proof', 'checkpoint', 'successions']) delete bundle[proof];
  return bundle;
}

/** Covers the bundle's last entry with a checkpoint that the forger signed. */
export async function withCheckpoint(bundle: Loose): Promise<Loose> {
  const { tenant, session_id, index, hash } = bundle.entries.at(-1);
  const points = [
    { tenant, session_id, index, hash },
    { tenant, session_id: 'another', index: 0, hash: 'e'.repeat(64) },
  ];
  const signer = {
    keyId,
    sign: async (message: Uint8Array) => sign('sha256', message, privateKey).toString('base64'),
  };
  const signed = await signCheckpoint(points, { created_at: bundle.manifest.created_at, previous: '' }, signer);
  return Object.assign(bundle, { checkpoint: checkpointsOf(signed, points)(0) });
}

/** Returns a function that changes the member at a path. */
const set =
  (path: string, value: unknown) =>
  (of: Loose): void => {
    const names = path.split('.');
    const last = names.pop() ?? '';
    names.reduce((at, name) => at[name], of)[last] = value;
  };

/** Changes to a valid checkpoint. */
export const checkpointForgeries: Readonly<Record<string, (bundle: Loose) => void>> = {
  'the root of the checkpoint': set('checkpoint.checkpoint.root', 'a'.repeat(64)),
  'the time of the checkpoint': set('checkpoint.checkpoint.created_at', '2020-01-01T00:00:00.000Z'),
  'the hash that it fixes': set('checkpoint.point.hash', 'b'.repeat(64)),
  'the session that it fixes': set('checkpoint.point.session_id', 'another'),
  'the path to its root': set('checkpoint.path', ['c'.repeat(64)]),
  'the signature of the checkpoint': ({ checkpoint: { checkpoint } }) => {
    const { value } = checkpoint.signature;
    checkpoint.signature.value = `${value.slice(0, 20)}${value[20] === 'A' ? 'B' : 'A'}${value.slice(21)}`;
  },
  'the chain under the checkpoint': (bundle) => {
    bundle.entries.at(-1).body.tool = 'shell.other';
    const { checkpoint } = bundle;
    Object.assign(agreeing(bundle), { checkpoint });
  },
};

const voteOf = ({ entries }: Loose): Loose => entries.find((entry: Loose) => entry.body.passkey !== undefined).body;

/** Replaces the person's passkey with one that belongs to the forger and signs anything. */
const signedAnew =
  (twist: Twist, about: Loose = {}) =>
  (bundle: Loose): void => {
    const own = authenticator();
    const vote = voteOf(bundle);
    const key = bundle.entries.find((entry: Loose) => entry.hash === vote.passkey.key_entry).body;
    Object.assign(key, { credential_id: own.id, public_key: own.publicKey });
    const { approval_id, call_digest } = { ...vote, ...about };
    const page = { id: key.rp_id, origin: key.origin };
    const assertion = own.sign(passkeyChallenge(approval_id, call_digest), page, twist);
    vote.passkey = { ...assertion, key_entry: vote.passkey.key_entry };
  };

/** Changes that each produce a consistent bundle whose vote is not proved by the passkey. */
export const passkeyForgeries: Readonly<Record<string, (bundle: Loose) => void>> = {
  'the vote of another request': (bundle) => set('approval_id', '01a00000-0000-7000-8000-000000000000')(voteOf(bundle)),
  'the vote over another call': (bundle) => set('call_digest', 'b'.repeat(64))(voteOf(bundle)),
  'the passkey of another person': (bundle) => set('person', 'mallory')(voteOf(bundle)),
  'a passkey whose key is in no entry': (bundle) => set('passkey.key_entry', 'c'.repeat(64))(voteOf(bundle)),
  'no passkey where the rule asks for one': (bundle) => {
    const vote = voteOf(bundle);
    vote.passkey_required = true;
    delete vote.passkey;
  },
  'a signature over another challenge': signedAnew({}, { approval_id: '01a00000-0000-7000-8000-000000000000' }),
  'a signature made on another page': signedAnew({ origin: 'https://elsewhere.example' }),
  'a signature made for another host': signedAnew({ rpId: 'elsewhere.example' }),
  'a signature without a verified person': signedAnew({ flags: 0x01 }),
  'a signature without a present person': signedAnew({ flags: 0x04 }),
  'a registration in place of a signature': signedAnew({ type: 'webauthn.create' }),
};

/** A vote proved by the forger's passkey. Only the gateway's key distinguishes it from a real one. */
export const fabricated = signedAnew({});

const noteLine = (name: string) => new RegExp(`(\u2014 ${name} )(\\S+)`);

/** Replaces the bytes of a note's signature. */
const resigned = (note: string, name: string, change: (bytes: Buffer) => void): string =>
  note.replace(noteLine(name), (_, head: string, encoded: string) => {
    const bytes = Buffer.from(encoded, 'base64');
    change(bytes);
    return head + bytes.toString('base64');
  });

const flipped = (at: number) => (bytes: Buffer) => {
  bytes[at] = (bytes[at] ?? 0) ^ 1;
};

const size = (note: string): string =>
  note.replace(/^(.*)\n(\d+)\n/, (_, log, count) => `${log}\n${Number(count) + 1}\n`);
const root = (note: string): string =>
  note.replace(/^(.*\n\d+\n)(\S+)/, (_, head) => head + Buffer.alloc(32, 7).toString('base64'));

/** Returns changes to the proof that a session is in a log cosigned by the witness `auditor`. */
export const logForgeries = (log: string): Readonly<Record<string, (proof: Loose) => void>> => ({
  'the size of the tree': (proof) => set('checkpoint', size(proof.checkpoint))(proof),
  'the root of the tree': (proof) => set('checkpoint', root(proof.checkpoint))(proof),
  'the name of the log': (proof) => set('checkpoint', proof.checkpoint.replaceAll(log, 'another.example'))(proof),
  "the log's signature": (proof) => set('checkpoint', resigned(proof.checkpoint, log, flipped(40)))(proof),
  'the time of the leaf': set('leaf.at', '2020-01-01T00:00:00.000Z'),
  'the hash in the leaf': set('leaf.hash', 'd'.repeat(64)),
  'the place of the leaf': (proof) => {
    proof.position += 1;
  },
  'the path to the root': (proof) => {
    proof.path = [...proof.path, Buffer.alloc(32).toString('base64')];
  },
  "the witness's signature": ({ cosigned: [first] }) =>
    set('checkpoint', resigned(first.checkpoint, 'auditor', flipped(40)))(first),
  'the time at which the witness saw it': ({ cosigned: [first] }) =>
    set('checkpoint', resigned(first.checkpoint, 'auditor', flipped(11)))(first),
  'the key of the witness': ({ cosigned: [first] }) =>
    set('checkpoint', resigned(first.checkpoint, 'auditor', flipped(0)))(first),
  'the tree that the witness cosigned': ({ cosigned: [first] }) => set('checkpoint', root(first.checkpoint))(first),
  'no cosignature': set('cosigned', []),
});
