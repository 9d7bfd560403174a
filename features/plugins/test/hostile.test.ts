/** Hostile indexes and artifacts: each is refused for its own reason, while the unmodified documents are accepted. */

import { gzipSync } from 'node:zlib';
import { compileModule } from '#adapters/wasm/module.ts';
import type { Envelope } from '#core/configuration/supply-chain/envelope.ts';
import { pae, payloadType } from '#core/configuration/supply-chain/envelope.ts';
import { generateKeys, publicKeyOf, signBytes } from '#core/configuration/supply-chain/keys.ts';
import { verifyEntry } from '#core/configuration/supply-chain/verify-artifact.ts';
import { verifyIndex } from '#core/configuration/supply-chain/verify-index.ts';
import { assertNoDowngrade, newestVersion } from '../catalogue.ts';
import { signStatement } from '../sign.ts';
import { verifyBytes } from '../verify-bytes.ts';
import {
  delegationOf,
  entryOf,
  guardBytes,
  indexOf,
  now,
  publisherKeys,
  rootKeys,
  strangerKeys,
} from './signed-plugins.ts';

interface Try {
  readonly file?: unknown;
  readonly bytes?: Uint8Array;
  readonly after?: unknown;
  readonly compiled?: () => void;
}

const root = publicKeyOf(rootKeys.pem.publicKey);

async function verify({ file = indexOf(), bytes = guardBytes, after, compiled }: Try): Promise<string> {
  const earlier = after === undefined ? undefined : verifyIndex(after, root, { now }).seen;
  const trusted = verifyIndex(file, root, { now, ...(earlier && { seen: earlier }) });
  const entry = newestVersion(trusted.index, 'keyword-guard');
  assertNoDowngrade({ version: '1.0.0' }, entry);
  const publisher = verifyEntry(entry, trusted, now);
  await verifyBytes(entry, bytes, (module) => {
    compiled?.();
    return compileModule(module);
  });
  return publisher;
}

const good = indexOf();
const withIndex = (index: unknown): Try => ({ file: { ...good, index } });
const index = (changes: Parameters<typeof indexOf>[0]): Try => ({ file: indexOf(changes) });
const signedText = (text: string): Envelope => {
  const payload = Buffer.from(text);
  const sig = signBytes(rootKeys.key, pae(payloadType, payload)).toString('base64');
  return { payloadType, payload: payload.toString('base64'), signatures: [{ keyid: rootKeys.id, sig }] };
};
const tampered = ({ payload, ...rest }: Envelope): Envelope => ({
  ...rest,
  payload: Buffer.from(Buffer.from(payload, 'base64').toString().replace('keyword', 'keYword')).toString('base64'),
});
const plugin = (changes: object) => index({ plugins: [entryChanged(changes)] });
/** Builds an entry that was changed after the publisher signed it. */
const entryChanged = (changes: object) => ({ ...entryOf(), ...changes });
const digestOf = entryOf().sha256;
const other = Buffer.concat([guardBytes.subarray(0, -1), Buffer.from([guardBytes.at(-1)! ^ 1])]);
/** A valid module that imports one function. */
const imports = Buffer.from('0061736d01000000010401600000020c01036e6574047365656e0000', 'hex');

/** A gzip bomb that is never expanded, because compressed bytes are not a module. */
const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
/**
 * Returns a key hint as some signers write it: the Base64 digest of the public key. The signature then names no key.
 */
const hintOf = (id: string) => ({ publicKey: { hint: Buffer.from(id, 'hex').toString('base64') } });
const bundle = ({ signatures, ...envelope }: Envelope, material: object = hintOf(rootKeys.id), keyid = '') => ({
  mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
  verificationMaterial: { ...material, tlogEntries: [] },
  dsseEnvelope: { ...envelope, signatures: [{ sig: signatures[0]!.sig, keyid }] },
});

const emptyIndex = { format: 1, sequence: 5, issued_at: '2026-11-01T00:00:00Z', plugins: [] };
const signed = (changes: object, by = publisherKeys) => index({ plugins: [entryOf(changes, guardBytes, by)] });
const artifact = (bytes: Buffer): Try => ({ file: indexOf({ plugins: [entryOf({}, bytes)] }), bytes });

const rows: readonly (readonly [string, string, Try])[] = [
  ['a file that is not an object', 'envelope_malformed', { file: [] }],
  ['a file with one more member', 'envelope_malformed', { file: { ...good, more: 1 } }],
  ['an index without an envelope', 'envelope_malformed', withIndex({ format: 1, plugins: [] })],
  ['an envelope without signatures', 'envelope_malformed', withIndex({ ...good.index, signatures: [] })],
  ['a truncated payload', 'bad_signature', withIndex({ ...good.index, payload: good.index.payload.slice(0, 400) })],
  ['another payload type', 'payload_type', withIndex({ ...good.index, payloadType: 'application/json' })],
  ['a payload changed after signing', 'bad_signature', withIndex(tampered(good.index))],
  [
    'the signature of another document',
    'bad_signature',
    withIndex({ ...good.index, signatures: good.delegations.signatures }),
  ],
  ['an index by an unknown key', 'unknown_key', { file: { ...good, index: indexOf({}, strangerKeys).index } }],
  ['an index by a publisher', 'unknown_key', { file: { ...good, index: indexOf({}, publisherKeys).index } }],
  ['revocations in the place of the index', 'predicate_type', withIndex(good.revocations)],
  ['delegations in the place of revocations', 'predicate_type', { file: { ...good, revocations: good.delegations } }],
  ['signed text that is not JSON', 'statement_malformed', withIndex(signedText('plugins: []'))],
  ['signed JSON with a member twice', 'statement_malformed', withIndex(signedText('{"_type":"a","_type":"b"}'))],
  [
    'a statement about another document',
    'statement_mismatch',
    withIndex(signStatement(rootKeys.key, 'index', emptyIndex, { name: 'index', sha256: '0'.repeat(64) })),
  ],
  ['an index of the future', 'issued_in_future', index({ index: { issued_at: '2027-01-01T00:00:00Z' } })],
  ['a replayed older index', 'sequence_older', { after: indexOf({ index: { sequence: 6 } }) }],
  ['replayed older revocations', 'sequence_older', { after: indexOf({ revocations: { sequence: 6 } }) }],
  ['replayed older delegations', 'sequence_older', { after: indexOf({ delegations: { sequence: 6 } }) }],
  ['a second index of one sequence', 'sequence_reused', { file: indexOf({ plugins: [] }), after: good }],
  ['sequence zero', 'statement_malformed', index({ index: { sequence: 0 } })],
  ['one version twice', 'plugin_duplicate', index({ plugins: [entryOf(), entryOf()] })],
  ['a look-alike of a name', 'name_invalid', plugin({ name: 'kеyword-guard' })],
  ['a path as a name', 'name_invalid', plugin({ name: '../keyword-guard' })],
  ['an upper-case name', 'name_invalid', plugin({ name: 'Keyword-Guard' })],
  ['a version with a path', 'version_invalid', plugin({ version: '1.0.0/../..' })],
  ['a path as an address', 'url_invalid', plugin({ url: '../../etc/passwd' })],
  ['an address without TLS', 'url_invalid', plugin({ url: 'http://example.com/a.wasm' })],
  ['a file address', 'url_invalid', plugin({ url: 'file:///etc/passwd' })],
  ['an address with credentials', 'url_invalid', plugin({ url: 'https://a:b@example.com/a.wasm' })],
  ['a plugin that is not listed', 'plugin_unknown', index({ plugins: [] })],
  ['a plugin that is withdrawn', 'plugin_yanked', plugin({ yanked: true })],
  ['a version older than the installed one', 'downgrade', signed({ version: '0.9.0' })],
  ['a plugin by an unknown key', 'unknown_key', signed({}, strangerKeys)],
  ['a plugin by the root key, which is not a publisher', 'unknown_key', signed({}, rootKeys)],
  ['a bundle of a certificate', 'envelope_malformed', withIndex(bundle(good.index, { certificate: {} }))],
  [
    'a bundle of another content',
    'envelope_malformed',
    withIndex({ ...bundle(good.index), dsseEnvelope: undefined, messageSignature: { signature: '' } }),
  ],
  ['a bundle of an unknown version', 'envelope_malformed', withIndex({ ...bundle(good.index), mediaType: 'x' })],
  ['a bundle that names another key', 'unknown_key', withIndex(bundle(good.index, hintOf(strangerKeys.id)))],
  [
    'a bundle whose key and hint differ',
    'unknown_key',
    withIndex(bundle(good.index, hintOf(rootKeys.id), strangerKeys.id)),
  ],
  ['a bundle that names no key', 'unknown_key', withIndex(bundle(good.index, { publicKey: {} }))],
  ['a bundle by a stranger in the name of root', 'bad_signature', withIndex(bundle(indexOf({}, strangerKeys).index))],
  ['a bundle changed after signing', 'bad_signature', withIndex(bundle(tampered(good.index)))],
  ['a plugin without an envelope', 'envelope_malformed', plugin({ envelope: null })],
  [
    'the envelope of an index for a plugin',
    'predicate_type',
    plugin({ envelope: signStatement(publisherKeys.key, 'index', {}) }),
  ],
  ['a digest that the publisher did not sign', 'statement_mismatch', plugin({ sha256: '0'.repeat(64) })],
  ['a version that the publisher did not sign', 'statement_mismatch', plugin({ version: '9.0.0' })],
  ['permissions that the publisher did not sign', 'statement_mismatch', plugin({ permissions: ['content'] })],
  ['a delegation for other names', 'delegation_missing', index({ grant: { patterns: ['other-*', 'keyword'] } })],
  ['a delegation that ended', 'delegation_expired', index({ grant: { not_after: '2026-11-22T00:00:00Z' } })],
  ['a delegation to a private key', 'key_type', index({ grant: { public_key: publisherKeys.pem.privateKey } })],
  ['a revoked key', 'key_revoked', index({ revocations: { keys: [publisherKeys.id] } })],
  ['a revoked artifact', 'artifact_revoked', index({ revocations: { artifacts: [digestOf] } })],
  ['a truncated module', 'size_mismatch', { bytes: guardBytes.subarray(0, -1) }],
  ['a module with trailing bytes', 'size_mismatch', { bytes: Buffer.concat([guardBytes, guardBytes]) }],
  ['another module of the same size', 'digest_mismatch', { bytes: other }],
  ['a compressed module', 'size_mismatch', { bytes: gzipSync(guardBytes) }],
  ['a signed bomb: 64 MB of zeros, compressed', 'abi_mismatch', artifact(bomb)],
  ['an unknown ABI', 'abi_unsupported', signed({ abi: 'wasm-filter-2' })],
  ['a signed file that is not a module', 'abi_mismatch', artifact(Buffer.from('#!/bin/sh'))],
  ['a signed module that imports', 'abi_mismatch', artifact(imports)],
  ['a permission that is not given', 'permission_unknown', signed({ permissions: ['content', 'metadata', 'network'] })],
  ['a permission that is not declared', 'permission_undeclared', signed({ permissions: ['content'] })],
];

describe('[supply-chain.envelope] hostile documents', () => {
  test.each(rows)('%s: %s', async (_what, reason, given) => {
    await expect(verify(given)).rejects.toMatchObject({ name: 'SupplyChainRefusal', reason });
  });

  test('the importing module in the table is valid WebAssembly', async () => {
    await expect(WebAssembly.compile(imports)).resolves.toBeDefined();
  });

  test('bytes that fail verification are not compiled', async () => {
    const compiled = jest.fn();
    await expect(verify({ bytes: other, compiled })).rejects.toMatchObject({ reason: 'digest_mismatch' });
    expect(compiled).not.toHaveBeenCalled();
  });

  test('a size above 50 MB is refused before the download', () => {
    const trusted = verifyIndex(good, root, { now });
    const size = 50 * 1024 * 1024 + 1;
    const { envelope: _, ...rest } = entryOf();
    const { name, version, kind, abi, phase, permissions } = rest;
    const predicate = { name, version, kind, abi, phase, permissions, size };
    const envelope = signStatement(publisherKeys.key, 'artifact', predicate, { name, sha256: rest.sha256 });
    expect(() => verifyEntry({ ...rest, size, envelope }, trusted, now)).toThrow(
      expect.objectContaining({ reason: 'size_exceeded' }),
    );
  });
});

describe('accepted forms', () => {
  test('[supply-chain.envelope] the unchanged documents, signed with Ed25519 and ECDSA P-256', async () => {
    await expect(verify({})).resolves.toBe(publisherKeys.id);
  });

  test('[supply-chain.envelope] the same documents as Sigstore bundles that name the key in Base64 or hex', async () => {
    const [entry] = [entryOf()];
    const ofPublisher = bundle(entry.envelope as Envelope, hintOf(publisherKeys.id));
    const plugins = [{ ...entry, envelope: ofPublisher }];
    const { index, delegations, revocations } = indexOf({ plugins });
    const file = {
      index: bundle(index),
      delegations: bundle(delegations, { publicKey: { hint: rootKeys.id } }),
      revocations,
    };
    await expect(verify({ file })).resolves.toBe(publisherKeys.id);
    const older = { ...bundle(index), mediaType: 'application/vnd.dev.sigstore.bundle+json;version=0.2' };
    await expect(verify({ file: { ...file, index: older } })).resolves.toBe(publisherKeys.id);
  });

  test('[supply-chain.sequence] the same documents a second time, and newer ones', async () => {
    await expect(verify({ after: good, file: good })).resolves.toBe(publisherKeys.id);
    const file = indexOf({ index: { sequence: 6 }, delegations: { sequence: 7, delegations: [delegationOf()] } });
    await expect(verify({ after: indexOf(), file: { ...file, revocations: good.revocations } })).resolves.toBe(
      publisherKeys.id,
    );
  });

  test('the signed encoding follows DSSE', () => {
    expect(pae('http://example.com/HelloWorld', Buffer.from('hello world')).toString()).toBe(
      'DSSEv1 29 http://example.com/HelloWorld 11 hello world',
    );
  });

  test('other kinds of keys are refused', () => {
    expect(() => publicKeyOf(generateKeys('p256').privateKey)).toThrow(expect.objectContaining({ reason: 'key_type' }));
  });
});
