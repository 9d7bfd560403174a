/** `evidence verify --file`: verifies a file from any source without a server or configuration. */
import { bundleFormat, type SessionBundle } from '#core/contracts/evidence.ts';
import { checkpointedAt, checkpointOver, otherKey, sealedSession, trustedKey } from '../evidence/sample.ts';
import { Home } from './support.ts';

const home = new Home();
let bundle: SessionBundle;
let key: string;

beforeAll(async () => {
  const session = await sealedSession();
  const { entries, manifest } = session;
  const checkpoint = await checkpointOver(session);
  bundle = { format: bundleFormat, manifest, entries, checkpoint, public_key: trustedKey };
  key = home.write('key.pem', trustedKey);
});
afterAll(() => home.remove());

/** An address without a listener: a call to it gets no response. */
const env = { AGENTCTL_URL: 'http://127.0.0.1:9' };
const verify = (content: string | Uint8Array, ...more: string[]) =>
  home.run(['evidence', 'verify', '--file', home.write('bundle.json', content), ...more], { env });

test('[evidence.verify.offline] without a pinned key it says so and exits 1', async () => {
  const { code, out } = await verify(JSON.stringify(bundle));
  expect([code, out.trimEnd().split('\n').at(-1)]).toEqual([1, 'origin not checked']);
});

test('[cli.evidence.verify] compares a saved response with the entries in the bundle', async () => {
  const { hash } = bundle.entries[2]!;
  const dropped = 'a'.repeat(64);
  expect(await verify(JSON.stringify(bundle), '--public-key', key, '--holds', hash)).toMatchObject({ code: 0 });
  const { code, err } = await verify(JSON.stringify(bundle), '--public-key', key, '--holds', hash, dropped);
  expect([code, err]).toEqual([1, expect.stringContaining(`No entry has the hash ${dropped}`)]);
  const { out } = await verify(JSON.stringify(bundle), '--public-key', key, '--json', '--holds', hash, dropped);
  expect(JSON.parse(out)).toMatchObject({ valid: true, missing: [dropped] });
  expect(await verify(JSON.stringify(bundle), '--holds', 'short')).toMatchObject({
    code: 2,
    err: expect.stringContaining('it must be 64 hex digits'),
  });
});

test('--json prints one document', async () => {
  const { code, out, err } = await verify(JSON.stringify(bundle), '--public-key', key, '--json');
  expect([code, err]).toEqual([0, '']);
  expect(JSON.parse(out)).toEqual({
    valid: true,
    total_entries: 5,
    not_checked: [],
    checkpoint: { index: 4, created_at: checkpointedAt, key_id: '1234abcd-12ab-34cd-56ef-1234567890ab' },
    session_manifest_hash: bundle.manifest.session_manifest_hash,
  });
});

test("another's key, and a file that is not a key", async () => {
  const other = home.write('other.pem', otherKey);
  const { code, out } = await verify(JSON.stringify(bundle), '--public-key', other);
  expect([code, out]).toEqual([1, expect.stringMatching(/valid: false\n[\s\S]*signature does not match these bytes/)]);
  const notes = home.write('notes.txt', 'no key');
  expect(await verify(JSON.stringify(bundle), '--public-key', notes)).toMatchObject({ code: 2 });
});

describe('a hostile file is rejected as invalid with a readable message', () => {
  const whole = () => JSON.stringify(bundle);
  test.each<[string, () => string | Uint8Array]>([
    ['empty', () => ''],
    ['not JSON', () => 'hello \u001b[31m'],
    ['cut in the middle', () => whole().slice(0, 1500)],
    ['not UTF-8', () => Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['null', () => 'null'],
    ['a list', () => '[]'],
    ['an empty object', () => '{}'],
    ['nested very deep', () => '['.repeat(200_000)],
    ['a key twice', () => whole().replace('"format"', '"format":"x","format"')],
    ['without entries', () => JSON.stringify({ ...bundle, entries: [] })],
    ['entries of nonsense', () => JSON.stringify({ ...bundle, entries: [null, 1, { index: '\u001b[31m' }] })],
  ])('%s', async (_, content) => {
    const { code, out, err } = await verify(content(), '--public-key', key);
    expect([code, err]).toEqual([1, '']);
    expect(out).toMatch(/^valid: false\n/m);
    expect(out).toMatch(/^broken_link: entry \d+: \S/m);
    expect(out).not.toMatch(/[^\P{Cc}\n]/u);
    expect(out).not.toMatch(/^\s+at /m);
  });
});

test('a missing file causes a usage error rather than a verdict', async () => {
  const { code, out, err } = await home.run(['evidence', 'verify', '--file', 'none.json']);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain('cannot read none.json: there is no such file');
});
