/**
 * A session in the transparency log with a witness. It is verified in the page and in its HTML file with both keys, and
 * the report mentions the log and the witness.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { logTrustOf } from '#core/evidence/transparency/witness-keys.ts';
import { verifyBundle } from '../../core/evidence/verify.ts';
import { check } from '../support/checks.ts';
import { until, type Visitors } from './browser.ts';
import { logForgeries, singleFileBundle } from './forgeries.ts';
import type { ConsoleGateway } from './gateway.ts';
import { shellOf } from './sign-in.ts';

const run = promisify(execFile);

export const witnessed = (gateway: ConsoleGateway, people: Visitors) => [
  check('[console.verify-log] [evidence.report] log and witness keys prove who saw a session', async () => {
    const { admin_token, human } = gateway.keys;
    const folder = await mkdtemp(join(tmpdir(), 'gateway-witnessed-'));
    const witness = async (name: string, ...more: string[]) => {
      const words = ['bin/agentctl.ts', 'witness', '--name', name, '--folder', join(folder, name), ...more];
      const env = { ...process.env, AGENTCTL_URL: gateway.url, AGENTCTL_KEY: admin_token };
      return (await run(process.execPath, words, { env })).stdout.trim();
    };
    const [auditor, stranger] = [await witness('auditor', '--show-key'), await witness('stranger', '--show-key')];
    const { body } = await gateway.call(admin_token, 'GET', 'config');
    const changed = structuredClone(body.configuration);
    changed.evidence = { ...changed.evidence, log: { ...changed.evidence?.log, witnesses: [auditor] } };
    assert.equal((await gateway.call(admin_token, 'PUT', 'config', changed)).status, 201);

    await gateway.review(shellOf('make witnessed | sh', 'witnessed'));
    const exported = async () => (await gateway.call(human, 'GET', 'evidence/sessions/witnessed/export')).body;
    await until('the session in the log', async () => (await exported()).log_proof !== undefined);
    const logKey = String((await gateway.call(admin_token, 'GET', 'evidence/log/checkpoint')).body.log_key);
    await witness('auditor', '--log-key', logKey, '--publish', '--url', gateway.url, '--key', admin_token);
    await until('the cosignature', async () => (await exported()).log_proof.cosigned.length > 0);

    const page = await people.signedIn(human, '#/sessions/witnessed');
    await page.getByText('Keys that you trust').click();
    const keys = page.getByLabel(/^Trusted keys of the log/);
    const verify = page.getByRole('button', { name: 'Verify', exact: true });
    await verify.click();
    await page.getByText('none known').waitFor();
    await keys.fill(`${logKey}\n${auditor}\n`);
    await verify.click();
    await page.getByText(/auditor saw it/).waitFor();
    await keys.fill(`${logKey}\n${stranger}`);
    await verify.click();
    await page.getByText('the witness stranger has not cosigned a log that holds the session').waitFor();
    await keys.fill('no key');
    await verify.click();
    await page.getByText('key 1 is not a verifier key').waitFor();

    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as one HTML file' }).click(),
    ]);
    const file = join(folder, 'session.html');
    await saved.saveAs(file);
    const alone = await page.context().newPage();
    await alone.context().setOffline(true);
    await alone.goto(pathToFileURL(file).href);
    const verdict = alone.locator('#verdict');
    await verdict
      .filter({
        hasText: /In the log \S+: entries 0 to 0 are leaf .* no witness whose key you gave saw it/,
      })
      .waitFor();
    await alone.getByLabel(/^Trusted keys of the log/).fill(`${logKey} ${auditor}`);
    await alone.getByRole('button', { name: 'Verify' }).click();
    await verdict.filter({ hasText: /^Valid: 1 entry.* auditor saw it at / }).waitFor();
    await alone.getByLabel(/^Trusted keys of the log/).fill(stranger);
    await alone.getByRole('button', { name: 'Verify' }).click();
    await verdict.filter({ hasText: /^Not valid: .*the witness stranger has not cosigned/ }).waitFor();
    const html = await readFile(file, 'utf8');
    const bundle = singleFileBundle.exec(html)?.[2] ?? '';
    const trust = `${logKey}\n${auditor}`;
    for (const [what, forge] of Object.entries(logForgeries(JSON.parse(bundle).log_proof.checkpoint.split('\n')[0]))) {
      const forged = JSON.parse(bundle);
      forge(forged.log_proof);
      const text = JSON.stringify(forged);
      assert.notDeepEqual(forged, JSON.parse(bundle), what);
      const { valid, broken_link } = await verifyBundle(text, undefined, undefined, undefined, logTrustOf(trust));
      assert.equal(valid, false, what);
      await writeFile(
        file,
        html.replace(singleFileBundle, (_, open, _bundle, close) => open + text.replaceAll('<', '\\u003c') + close),
      );
      await alone.goto(pathToFileURL(file).href);
      await alone.getByLabel(/^Trusted keys of the log/).fill(trust);
      await alone.getByRole('button', { name: 'Verify' }).click();
      const expected = `Not valid: at entry ${broken_link?.index}, ${broken_link?.reason}.`;
      await until(`${what}: ${expected}`, async () => ((await verdict.textContent()) ?? '').startsWith(expected));
    }
    await page.context().close();

    const path = `${gateway.url}/admin/v1/evidence/sessions/witnessed/report.html`;
    const report = await (await fetch(path, { headers: { 'x-api-key': human } })).text();
    assert.match(report, /Transparency log<\/dt><dd>entries 0 to 0 are leaf \d+ of \d+, logged at /);
    assert.match(report, /Witnesses<\/dt><dd>auditor at /);
    await rm(folder, { recursive: true });
  }),
];
