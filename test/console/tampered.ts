/**
 * A session's single HTML file in the browser, offline: each part of the evidence is changed separately, and the
 * verdict is compared with the command line's.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { singleFile } from '../../core/evidence/single-file.ts';
import { verifyBundle } from '../../core/evidence/verify.ts';
import { check } from '../support/checks.ts';
import type { Loose } from '../support/loose.ts';
import { until, type Visitors } from './browser.ts';
import {
  agreeing,
  checkpointForgeries,
  fabricated,
  passkeyForgeries,
  singleFileBundle,
  withCheckpoint,
} from './forgeries.ts';
import type { ConsoleGateway } from './gateway.ts';
import { atLocalhost, register, virtualAuthenticator } from './passkeys.ts';
import { shellOf } from './sign-in.ts';

/** Replaces a character in the middle of a signature, because the last character has unused bits. */
const otherCharacter = (text: string): string => {
  const at = Math.floor(text.length / 2);
  return text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
};

const otherDigit = (hex: string): string => hex.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));

/** Changes that a forger makes to a bundle. Each change makes it invalid. */
const forgeries: Readonly<Record<string, (bundle: Loose) => void>> = {
  'a value of the first call': ({ entries }) => {
    entries[0].body.tool = 'shell.other';
  },
  'the comment of the vote': ({ entries }) => {
    for (const { body } of entries) if (body.comment !== undefined) body.comment = 'never said';
  },
  'the time of an entry': ({ entries }) => {
    entries[1].timestamp = '2020-01-01T00:00:00.000Z';
  },
  'two entries in the other order': ({ entries }) => {
    [entries[0], entries[1]] = [entries[1], entries[0]];
  },
  'without the last entry': ({ entries }) => void entries.pop(),
  'without the first entry': ({ entries }) => void entries.shift(),
  'an entry twice': ({ entries }) => void entries.push(structuredClone(entries.at(-1))),
  'the hash of an entry': ({ entries }) => {
    entries[0].hash = otherDigit(entries[0].hash);
  },
  'the log that the session is said to be in': (bundle) => {
    bundle.log_proof = JSON.parse(JSON.stringify(bundle.log_proof).replace(/[0-9a-f]{64}/, otherDigit));
  },
  'the hash of the manifest': ({ manifest }) => {
    manifest.session_manifest_hash = 'f'.repeat(64);
  },
  'the number of entries in the manifest': ({ manifest }) => {
    manifest.total_entries += 1;
  },
  'the session that the manifest names': ({ manifest }) => {
    manifest.session_id = 'another';
  },
  'the signature': ({ manifest }) => {
    manifest.signature.value = otherCharacter(manifest.signature.value);
  },
  'the key that signed': ({ manifest }) => {
    manifest.signature.key_id = otherDigit(manifest.signature.key_id);
  },
  'the signature of the passkey': ({ entries }) => {
    const { body } = entries.find((entry: Loose) => entry.body.passkey !== undefined);
    body.passkey.signature = otherCharacter(body.passkey.signature);
  },
};

export const tampered = (gateway: ConsoleGateway, people: Visitors) => [
  check('[evidence.single-file] every changed, missing, repeated or moved part is detected offline', async () => {
    const page = await atLocalhost(people, gateway.keys.human);
    await virtualAuthenticator(page);
    await register(page, 'tampered device');
    const id = await gateway.review(shellOf('make tampered | sh', 'tampered'));
    await gateway.review(shellOf('make tampered-2 | sh', 'tampered'));
    const origin = new URL(page.url()).origin;
    await page.goto(`${origin}/console/#/approvals/${id}`);
    await page.getByRole('button', { name: 'Approve…' }).click();
    await page.getByRole('dialog').getByLabel('Comment').fill('looked at');
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await until('the session is in the log', async () => {
      const path = 'evidence/sessions/tampered/export';
      return (await gateway.call(gateway.keys.human, 'GET', path)).body.log_proof !== undefined;
    });
    await page.goto(`${origin}/console/#/sessions/tampered`);
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as one HTML file' }).click(),
    ]);
    const html = await readFile(await saved.path(), 'utf8');
    const bundle = singleFileBundle.exec(html)?.[2] ?? '';
    const folder = await mkdtemp(join(tmpdir(), 'gateway-tampered-'));
    const alone = await page.context().newPage();
    const requests: string[] = [];
    alone.on('request', (request) => requests.push(request.url()));
    await alone.context().setOffline(true);
    const opened = async (text: string): Promise<string> => {
      const file = join(folder, 'session.html');
      await writeFile(file, text);
      await alone.goto(pathToFileURL(file).href);
      const said = alone.locator('#verdict').filter({ hasText: /^(Valid|Not valid|Not verified)/ });
      await said.waitFor();
      return (await said.textContent()) ?? '';
    };
    const verdict = (text: string) =>
      opened(html.replace(singleFileBundle, (_, open, _bundle, close) => open + text + close));
    assert.match(await verdict(bundle), /^Valid: 4 entries, .* Votes proven by a passkey: 1\./);
    for (const [what, forge] of Object.entries(forgeries)) {
      const forged = JSON.parse(bundle) as Loose;
      forge(forged);
      const text = JSON.stringify(forged);
      assert.notDeepEqual(forged, JSON.parse(bundle), what);
      const { valid, broken_link } = await verifyBundle(text);
      assert.equal(valid, false, what);
      const said = await verdict(text.replaceAll('<', '\\u003c'));
      const expected = `Not valid: at entry ${broken_link?.index}, ${broken_link?.reason}.`;
      assert.ok(said.startsWith(expected), `${what}: ${said}; the command line: ${expected}`);
    }
    // A forger with their own key: the chain is consistent, so only the passkey reveals the forgery.
    const script = /<script>([\s\S]*)<\/script>\s*<\/body>/.exec(html)?.[1] ?? '';
    const inPage = async (forged: Loose) => {
      let page = '';
      for await (const piece of singleFile(JSON.stringify(forged), script)) page += piece;
      return opened(page);
    };
    assert.match(await inPage(agreeing(JSON.parse(bundle))), /^Valid: 4 entries, .* Votes proven by a passkey: 1\./);
    for (const [what, forge] of Object.entries(passkeyForgeries)) {
      const forged = JSON.parse(bundle) as Loose;
      forge(forged);
      const { valid, broken_link } = await verifyBundle(JSON.stringify(agreeing(forged)));
      assert.equal(valid, false, what);
      assert.match(broken_link?.reason ?? '', /passkey/, what);
      const said = await inPage(forged);
      assert.ok(
        said.startsWith(`Not valid: at entry ${broken_link?.index}, ${broken_link?.reason}.`),
        `${what}: ${said}`,
      );
    }
    // Checkpoints that the forger signs are consistent; one by another signer, or for another tree, session or chain,
    // is not.
    const checkpointed = async (change: (bundle: Loose) => void = () => {}) => {
      const forged = await withCheckpoint(agreeing(JSON.parse(bundle)));
      change(forged);
      return forged;
    };
    assert.doesNotMatch(await inPage(await checkpointed()), /Not valid|heckpoints not checked/);
    for (const [what, forge] of Object.entries(checkpointForgeries)) {
      const forged = await checkpointed(forge);
      const { valid, broken_link } = await verifyBundle(JSON.stringify(forged));
      assert.equal(valid, false, what);
      const said = await inPage(forged);
      assert.ok(
        said.startsWith(`Not valid: at entry ${broken_link?.index}, ${broken_link?.reason}.`),
        `${what}: ${said}`,
      );
    }
    // A completely fabricated vote is consistent too, until it is checked with the gateway's own key.
    const made = JSON.parse(bundle) as Loose;
    fabricated(made);
    assert.match(await inPage(agreeing(made)), /^Valid.* Origin not checked\./);
    const { public_key } = JSON.parse(bundle) as Loose;
    await alone.getByLabel(/key/i).first().fill(public_key);
    await alone.getByRole('button', { name: 'Verify' }).click();
    await alone
      .locator('#verdict')
      .filter({ hasText: /^Not valid: / })
      .waitFor();
    assert.match(await verdict(bundle.slice(0, -40)), /^Not v/);
    assert.match(await verdict(''), /^Not v/);
    // A modified verifier does not run: the file's content security policy names the script by digest.
    const file = join(folder, 'changed.html');
    await writeFile(file, html.replace('Not valid: at entry', 'Valid anyway: entry'));
    await alone.goto(pathToFileURL(file).href);
    await alone.locator('#verdict').waitFor();
    assert.doesNotMatch((await alone.locator('#verdict').textContent()) ?? '', /alid/);
    assert.ok(
      requests.every((url) => url.startsWith('file:') && url.endsWith('.html')),
      requests.join(' '),
    );
    await alone.context().setOffline(false);
    await page.getByRole('link', { name: 'Passkeys' }).click();
    await page.getByRole('button', { name: 'Remove tampered device' }).click();
    await page.getByText('You have no passkey.').waitFor();
    await rm(folder, { recursive: true });
    await page.context().close();
  }),
];
