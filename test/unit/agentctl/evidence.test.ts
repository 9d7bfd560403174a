/** `evidence` against a running gateway: verify, export, report, public key. */
import { createHash, createPublicKey } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleFormat } from '#core/contracts/evidence.ts';
import { otherKey, sealedSession, trustedKey } from '../evidence/sample.ts';
import { Home, type Scripted, startServer } from './support.ts';

let server: Scripted;
let bundle: string;
let hash: string;
const home = new Home();
const session = '/admin/v1/evidence/sessions/s-1';

beforeAll(async () => {
  server = await startServer();
  home.running(server.url);
  const { entries, manifest } = await sealedSession();
  hash = manifest.session_manifest_hash;
  bundle = JSON.stringify({ format: bundleFormat, manifest, entries, public_key: trustedKey });
});
beforeEach(() => {
  server.reset();
  server.on(`GET ${session}/export`, bundle);
});
afterAll(async () => {
  home.remove();
  await server.stop();
});

const verified = () => ({ valid: true, total_entries: 5, session_manifest_hash: hash, not_checked: [] });

describe('[cli.evidence.verify] verify', () => {
  test('prints one line per entry in the gateway’s order, then three summary lines', async () => {
    const line = { index: 0, kind: 'review', timestamp: 't', hash: 'ab', envelope_id: 'e-1', ok: true };
    server.on(`GET ${session}/verify`, { ...verified(), entries: [line] });
    const { code, out } = await home.run(['evidence', 'verify', '--session', 's-1']);
    expect([code, server.seen.map(({ path }) => path.split('?')[0])]).toEqual([0, [`${session}/verify`]]);
    expect(out).toBe(`#0  t  review   e-1  ab  ok\nvalid: true\ntotal_entries: 5\nsession_manifest_hash: ${hash}\n`);
  });

  test.each([
    [80, /^#0 {5}\S{24} {2}\S+ +[0-9a-f-]{14}… {2}[0-9a-f]{8}… {2}ok$/m],
    [156, /^#0 {5}\S{24} {2}\S+ +[0-9a-f-]{36} {2}[0-9a-f]{64} {2}ok$/m],
  ])(
    '[cli.output-forms] on a terminal with %i columns each entry takes one line and the entry numbers are aligned',
    async (columns, entry) => {
      server.on(`GET ${session}/verify`, verified());
      const terminal = home.write('wide.mjs', `process.stdout.isTTY = true; process.stdout.columns = ${columns};`);
      const agentctl = join(__dirname, '../../../bin/agentctl.ts');
      const words = ['--import', pathToFileURL(terminal).href, agentctl, 'evidence', 'verify', '--session', 's-1'];
      const { code, out } = await home.node(words, { env: { TERM: 'dumb' } });
      expect(code).toBe(0);
      expect(out).toMatch(entry);
      const lines = out.split('\n').filter((line) => line.startsWith('#'));
      expect(lines).toHaveLength(5);
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(columns);
    },
  );

  test('if the gateway lists nothing, takes the entries from the export and verifies it', async () => {
    server.on(`GET ${session}/verify`, verified());
    const { code, out } = await home.run(['evidence', 'verify', '--session', 's-1']);
    expect(code).toBe(0);
    expect(out.match(/^#\d .* ok$/gm)).toHaveLength(5);
    expect(out).toMatch(/valid: true\ntotal_entries: 5\nsession_manifest_hash: [0-9a-f]{64}\n$/);
  });

  test('a broken export is reported even if the gateway calls it valid', async () => {
    server.on(`GET ${session}/verify`, verified());
    server.on(`GET ${session}/export`, bundle.replace('looks right', 'looks wrong'));
    const { code, out } = await home.run(['evidence', 'verify', '--session', 's-1']);
    expect(code).toBe(1);
    expect(out).toMatch(/^#1 .*broken: the entry was altered/m);
    expect(out).toContain('valid: false\n');
  });

  test('with a pinned key, also verifies the origin', async () => {
    server.on(`GET ${session}/verify`, { ...verified(), entries: [] });
    const run = (pem: string) =>
      home.run(['evidence', 'verify', '--session', 's-1', '--public-key', home.write('key.pem', pem)]);
    expect(await run(trustedKey)).toMatchObject({ code: 0 });
    expect(await run(otherKey)).toMatchObject({ code: 1, out: expect.stringContaining('valid: false') });
  });

  test('exits 1 for an invalid chain and shows the broken link, also with --json', async () => {
    const broken = {
      valid: false,
      total_entries: 5,
      broken_link: { index: 3, reason: 'altered' },
      not_checked: [],
      entries: [],
    };
    server.on(`GET ${session}/verify`, broken);
    const { code, out } = await home.run(['evidence', 'verify', '--session', 's-1']);
    expect([code, out]).toEqual([1, 'valid: false\ntotal_entries: 5\nbroken_link: entry 3: altered\n']);
    const json = await home.run(['evidence', 'verify', '--session', 's-1', '--json']);
    expect([json.code, JSON.parse(json.out)]).toEqual([1, broken]);
  });
});

describe('[cli.evidence.verify] export', () => {
  const exported = (...more: string[]) => home.run(['evidence', 'export', '--session', 's-1', ...more]);

  test('writes the bundle byte for byte to a file that only its owner can read', async () => {
    const out = join(home.folder, 'out/bundle.json');
    home.write('out/bundle.json', 'older');
    expect(await exported('--out', out)).toEqual({
      code: 0,
      out: '',
      err: `wrote ${Buffer.byteLength(bundle)} bytes to ${out}\n`,
    });
    expect(readFileSync(out, 'utf8')).toBe(bundle);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(home.folder, 'out'))).toEqual(['bundle.json']);
  });

  test('writes to stdout without --out', async () => {
    expect(await exported()).toEqual({ code: 0, out: bundle, err: '' });
    expect((await exported('--out', '-')).out).toBe(bundle);
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ['breaks off', (response) => response.write(bundle.slice(0, 900), () => response.destroy())],
    ['ends in the middle', (response) => response.end(bundle.slice(0, 900))],
    ['is empty', (response) => response.end('')],
  ])('an export that %s leaves the existing file unchanged and no partial file behind', async (_, reply) => {
    server.on(`GET ${session}/export`, reply);
    const file = home.write('kept/bundle.json', 'older');
    expect((await exported('--out', file)).code).toBe(3);
    expect(readFileSync(file, 'utf8')).toBe('older');
    expect(readdirSync(join(home.folder, 'kept'))).toEqual(['bundle.json']);
  });

  test('follows a symlink, writes to a device, and sends no request if the file cannot be written', async () => {
    const real = home.write('links/real.json', 'older');
    symlinkSync(real, join(home.folder, 'links/link.json'));
    await exported('--out', join(home.folder, 'links/link.json'));
    expect(readFileSync(real, 'utf8')).toBe(bundle);
    expect(await exported('--out', '/dev/null')).toMatchObject({ code: 0 });
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
    server.seen.length = 0;
    expect((await exported('--out', join(home.folder, 'none/bundle.json'))).code).toBe(2);
    expect((await exported('--out', home.folder)).code).toBe(2);
    expect(server.seen).toEqual([]);
  });
});

test('[cli.evidence.verify] report writes Markdown, or HTML with --html, to stdout or a file', async () => {
  server.on(`GET ${session}/report`, '# Session s-1\n\n- ok\n');
  server.on(`GET ${session}/report.html`, '<html></html>');
  expect((await home.run(['evidence', 'report', '--session', 's-1'])).out).toBe('# Session s-1\n\n- ok\n');
  const file = join(home.folder, 'report.html');
  await home.run(['evidence', 'report', '--session', 's-1', '--html', '--out', file]);
  expect(readFileSync(file, 'utf8')).toBe('<html></html>');
});

test('sessions are listed', async () => {
  server.on('GET /admin/v1/evidence/sessions', {
    sessions: [{ session_id: 's-1', total_entries: 5, updated_at: 't' }],
  });
  for (const word of ['sessions', 'list'])
    expect((await home.run(['evidence', word])).out).toMatch(/^session +entries +last entry\ns-1 +5 +t\n$/);
});

describe('public-key', () => {
  const fingerprint = createHash('sha256')
    .update(createPublicKey(trustedKey).export({ type: 'spki', format: 'der' }))
    .digest('hex');

  test('prints the key with its fingerprint, and states what it does not prove', async () => {
    const { code, out, err } = await home.run(['evidence', 'public-key', '--session', 's-1']);
    expect([code, out]).toEqual([0, trustedKey]);
    expect(err).toContain(fingerprint);
    expect(err).toMatch(/proves nothing about the server.*pin/);
    await home.run(['evidence', 'public-key', '--session', 's-1', '--out', join(home.folder, 'pin.pem')]);
    expect(readFileSync(join(home.folder, 'pin.pem'), 'utf8')).toBe(trustedKey);
  });

  test('writes only keys', async () => {
    server.on(`GET ${session}/export`, { public_key: 'ssh-rsa \u001b[31m' });
    const { code, out } = await home.run([
      ...'evidence public-key --session s-1 --out'.split(' '),
      join(home.folder, 'no.pem'),
    ]);
    expect([code, out, existsSync(join(home.folder, 'no.pem'))]).toEqual([1, '', false]);
  });
});
