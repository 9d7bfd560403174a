/** All pages except the approvals: sessions with the verifier in the browser, requests, policies, status. */
import assert from 'node:assert/strict';
import { createPublicKey, createSign, generateKeyPairSync, verify as nodeVerify } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as shim from '../../console/evidence/node-crypto.ts';
import { verifyStreamedBundle } from '../../core/evidence/verify-streamed.ts';
import { check } from '../support/checks.ts';
import { closeAnswered, type Visitors } from './browser.ts';
import type { ConsoleGateway } from './gateway.ts';
import { shellOf } from './sign-in.ts';

export const pages = (gateway: ConsoleGateway, people: Visitors) => {
  const { human, viewer, agent, admin_token } = gateway.keys;
  const exported = async (session: string): Promise<string> => {
    const path = `${gateway.url}/admin/v1/evidence/sessions/${session}/export`;
    return (await fetch(path, { headers: { 'x-api-key': human } })).text();
  };
  const trusted = async () => (await gateway.call(human, 'GET', 'evidence/keys')).body.keys[0].public_key as string;
  return [
    check('[console.sessions] a session is verified in the browser without a request to the gateway', async () => {
      await gateway.review(shellOf('make sessions | sh', 'to-verify'));
      const page = await people.signedIn(human, '#/sessions');
      await page.getByRole('link', { name: 'to-verify' }).click();
      await page.getByText('make sessions').first().waitFor({ state: 'attached' });
      await page.getByText('Keys that you trust').click();
      await page.getByLabel(/^Trusted public key/).fill(await trusted());
      await page.getByRole('button', { name: 'Verify' }).click();
      await page.getByText('Valid: 1 entry, verified in this browser.').waitFor();
      assert.ok(!people.asked.some((asked) => asked.includes('/verify')));
      const hash = JSON.parse(await exported('to-verify')).manifest.session_manifest_hash;
      await page.getByText(hash).waitFor();
      await page.context().close();
    }),
    check('[console.verify] a bundle loaded from a file gets the same result as on the command line', async () => {
      const whole = await exported('to-verify');
      const altered = whole.replace('make sessions | sh', 'make sessions | zz');
      assert.notEqual(altered, whole);
      const others = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
        type: 'spki',
        format: 'pem',
      });
      const page = await people.signedIn(human, '#/sessions');
      for (const [bundle, key] of [
        [whole, await trusted()],
        [whole, ''],
        [whole, String(others)],
        [altered, await trusted()],
        [whole.slice(0, -20), ''],
        [whole.replace('"entries":', '"entries":[],"entries":'), ''],
      ] as const) {
        const trustedPublicKey = key === '' ? undefined : key;
        const bytes = async function* () {
          yield Buffer.from(bundle);
        };
        const expected = await verifyStreamedBundle(bytes, { trustedPublicKey, log: {} });
        await page.getByLabel('Bundle (JSON)').setInputFiles({
          name: 'bundle.json',
          mimeType: 'application/json',
          buffer: Buffer.from(bundle),
        });
        await page.getByLabel(/^Trusted public key/).fill(key);
        await page.getByRole('button', { name: 'Verify' }).click();
        const said = expected.valid
          ? 'Valid: 1 entry'
          : `Not valid: at entry ${expected.broken_link?.index}, ${expected.broken_link?.reason}`;
        await page.getByRole('status').filter({ hasText: said }).waitFor();
        for (const open of expected.not_checked) await page.getByText(open).waitFor();
        await page.reload();
        await page.getByRole('button', { name: 'Verify' }).waitFor();
      }
      await page.context().close();
    }),
    check('[console.verify] signatures and keys are accepted and refused the same way as in Node', async () => {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const pem = String(publicKey.export({ type: 'spki', format: 'pem' }));
      for (let round = 0; round < 40; round++) {
        const text = Buffer.from(`round ${round} ${'x'.repeat(round * 7)}`);
        const good = createSign('sha256').update(text).sign(privateKey);
        const bad = Buffer.from(good);
        bad[bad.length - 1 - (round % 20)]! ^= 1;
        for (const signature of [good, bad, good.subarray(1), Buffer.concat([good, Buffer.of(0)]), Buffer.alloc(0)]) {
          const expected = nodeVerify('sha256', text, createPublicKey(pem), signature);
          assert.equal(shim.verify('sha256', text, shim.createPublicKey(pem), signature), expected);
        }
        assert.equal(shim.hash('sha256', text), shim.createHash('sha256').update(text).digest('hex'));
      }
      const p384 = String(
        generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ type: 'spki', format: 'pem' }),
      );
      const der = Buffer.from(pem.replace(/-----[^-]*-----/g, ''), 'base64');
      der[der.length - 1]! ^= 1;
      const offCurve = `-----BEGIN PUBLIC KEY-----\n${der.toString('base64')}\n-----END PUBLIC KEY-----\n`;
      for (const key of ['', 'PEM', p384, offCurve]) assert.throws(() => shim.createPublicKey(key));
    }),
    check('[evidence.single-file] a single saved file verifies itself offline and reports changes', async () => {
      const page = await people.signedIn(human, '#/sessions/to-verify');
      const [saved] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save as one HTML file' }).click(),
      ]);
      const folder = await mkdtemp(join(tmpdir(), 'gateway-single-file-'));
      const text = await readFile(await saved.path(), 'utf8');
      const requests: string[] = [];
      const told = async (html: string, key = '') => {
        const file = join(folder, 'session.html');
        await writeFile(file, html);
        const alone = await page.context().newPage();
        await alone.context().setOffline(true);
        alone.on('request', (request) => requests.push(request.url()));
        await alone.goto(pathToFileURL(file).href);
        const verdict = alone.locator('#verdict');
        await verdict.filter({ hasText: /^(Valid|Not valid)/ }).waitFor();
        if (key !== '') {
          await alone.getByLabel(/^Trusted public key/).fill(key);
          await alone.getByRole('button', { name: 'Verify' }).click();
          await verdict.filter({ hasText: /^(Valid|Not valid)/, hasNotText: 'origin not checked' }).waitFor();
        }
        const said = await verdict.textContent();
        await alone.close();
        return said ?? '';
      };
      assert.match(await told(text), /^Valid: 1 entry, .*origin not checked/i);
      assert.doesNotMatch(await told(text, await trusted()), /origin not checked/i);
      assert.match(
        await told(text.replaceAll('make sessions | sh', 'make sessions | zz')),
        /^Not valid: at entry 0, the entry was altered/,
      );
      const [report = '', rest = ''] = text.split('<script type="application/json"', 2);
      const elsewhere = (change: (report: string) => string) =>
        told(`${change(report)}<script type="application/json"${rest}`);
      for (const change of [
        (shown: string) => shown.replaceAll('make sessions | sh', 'make sessions | zz'),
        (shown: string) => shown.replace('</main>', '<p>Approved by alice.</p></main>'),
        (shown: string) => shown.replace('</main>', '</main><p>Approved by alice.</p>'),
        (shown: string) => shown.replace('.review {', '.review { display: none;'),
      ])
        assert.match(await elsewhere(change), /^Not valid: this page differs from its bundle/);
      assert.ok(
        requests.every((url) => url.startsWith('file:') && url.endsWith('session.html')),
        requests.join(' '),
      );
      await rm(folder, { recursive: true });
      await page.context().close();
    }),
    check('[console.rollouts] a rollout shows both sides and can be paused, resumed and rolled back', async () => {
      const page = await people.signedIn(human, '#/rollouts');
      await page.getByText('No rollouts').waitFor();
      const asked = {
        route_model: 'mock',
        canary_provider: 'demo',
        stages: [5, 100],
        observation_window: '1h',
        error_threshold: 5,
        latency_p95_threshold: 2_000,
      };
      const made = await gateway.call(human, 'POST', 'rollouts', asked);
      assert.equal(made.status, 201, JSON.stringify(made.body));
      await page.reload();
      await page.getByRole('row').filter({ hasText: 'canary' }).waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('paused').waitFor();
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByText('running').waitFor();
      await page.getByRole('button', { name: 'Roll back' }).click();
      await page.getByText('manual rollback').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Roll back' }).count(), 0);
      await page.context().close();
    }),
    check('[console.credentials] credentials that are still valid are listed and can be revoked', async () => {
      const read = { protocol: 'git', tool: 'scm.get_file', target: 'acme/site', capability: 'read' };
      await gateway.call(agent, 'POST', 'test-action', { ...read, actor: { session: 'credentialed' } });
      const page = await people.signedIn(human, '#/credentials');
      await page.getByRole('heading', { name: 'Credentials' }).waitFor();
      await page.getByText('Loading…').waitFor({ state: 'detached' });
      const row = page.getByRole('row').filter({ hasText: 'credentialed' });
      await row.getByText('contents:read').waitFor();
      await row.getByRole('button', { name: /^Revoke/ }).click();
      await page.getByRole('status').filter({ hasText: 'is revoked.' }).waitFor();
      await row.waitFor({ state: 'detached' });
      await page.context().close();
    }),
    check(
      '[console.alerts] alerts are listed with their measured values, and resolved alerts are listed separately',
      async () => {
        const page = await people.signedIn(viewer, '#/alerts');
        const said = page.getByRole('status');
        await said.filter({ hasText: /No open alerts|\d open alerts?/ }).waitFor({ state: 'attached' });
        await page.getByLabel('Show').selectOption('Resolved');
        await said.filter({ hasText: /No resolved alerts|\d resolved alerts?/ }).waitFor({ state: 'attached' });
        await page.context().close();
        const alert = {
          id: 'a1',
          severity: 'critical',
          type: 'static_threshold',
          dimension: 'global',
          metric: 'error_rate',
          value: 0.25,
          threshold: 0.2,
          message: 'Errors <b>everywhere</b>',
          state: 'active',
          created_at: new Date(Date.now() - 60_000).toISOString(),
        };
        const operator = await people.open('#/alerts');
        await operator.route('**/admin/v1/alerts', (route) => route.fulfill({ json: { alerts: [alert], total: 1 } }));
        await operator.route('**/admin/v1/alerts/a1/acknowledge', (route) => {
          Object.assign(alert, { state: 'acknowledged', acknowledged_by: 'local-human' });
          return route.fulfill({ json: alert });
        });
        await operator.getByLabel('API key or admin token').fill(human);
        await operator.getByRole('button', { name: 'Sign in' }).click();
        await operator.getByText('Errors <b>everywhere</b>').waitFor();
        assert.equal(await operator.getByRole('link', { name: 'Traffic' }).last().getAttribute('href'), '#/traffic');
        await operator.getByText('error_rate of global: 0.25, threshold 0.2 (static threshold)').waitFor();
        await operator.getByRole('button', { name: 'Acknowledge: error_rate of global' }).click();
        await operator.getByText('acknowledged by local-human').waitFor();
        await closeAnswered(operator);
      },
    ),
    check(
      '[console.budgets] budgets are shown with their forecast, and the page says so if no budget is set',
      async () => {
        const page = await people.open('#/budgets');
        const budget = {
          account: 'tenant',
          scope: 'tenant',
          scope_id: 'default',
          period: 'day',
          limit_usd: 50,
          spent_usd: 40,
          reserved_usd: 1.5,
          percentage: 83,
          tier: 'alert',
          resets_at: new Date(Date.now() + 3_600_000).toISOString(),
        };
        let statuses = [budget];
        await page.route('**/admin/v1/budgets', (route) =>
          route.fulfill({ json: { tenant: 'default', statuses, rate_limit: {}, open_reservations: 2 } }),
        );
        const forecast = { days_observed: 9, projected_usd: 55.5, low_usd: 45, high_usd: 66, will_exceed: true };
        await page.route('**/admin/v1/budgets/forecast', (route) =>
          route.fulfill({
            json: {
              tenant: 'default',
              forecasts: [{ ...budget, ...forecast, exhausted_at: '2026-11-26T00:00:00.000Z' }],
            },
          }),
        );
        await page.getByLabel('API key or admin token').fill(viewer);
        await page.getByRole('button', { name: 'Sign in' }).click();
        const row = page.getByRole('row').filter({ hasText: 'tenant' });
        for (const part of ['83 %', '$40.00', '$50.00', 'alert', '$55.50', 'used up on 2026-11-26'])
          await row.getByText(part).first().waitFor();
        await page.getByText('2 running calls reserve requests, tokens or money.').waitFor();
        statuses = [];
        await page.reload();
        await page.getByText('No budgets').waitFor();
        await closeAnswered(page);
      },
    ),
    check("[console.health] dependencies and violations are shown; a viewer sees the viewer's pages", async () => {
      const page = await people.signedIn(viewer, '#/health');
      await page.getByRole('heading', { name: 'Health' }).waitFor();
      await page.getByRole('row').filter({ hasText: 'mock' }).first().waitFor();
      await page.getByRole('row').filter({ hasText: 'needed' }).first().waitFor();
      assert.equal(await page.getByRole('navigation').getByRole('link', { name: 'Requests' }).count(), 0);
      await page.getByRole('link', { name: 'Policies' }).click();
      await page.getByRole('heading', { name: 'Rules in force' }).waitFor();
      assert.equal(await page.getByRole('button', { name: 'Evaluate' }).count(), 0);
      await page.context().close();
    }),
    check('[console.states] every page says when it is loading, when it is empty and what went wrong', async () => {
      for (const hash of asking) {
        const page = await people.open(`#/${hash}`);
        let held: (() => void) | undefined = () => {};
        const waiting = new Promise<void>((go) => {
          held = go;
        });
        let broken = true;
        await page.route(/\/admin\/v1\/(?!whoami|approvals\/events)/, async (route) => {
          await waiting;
          if (!broken) return route.continue();
          const error = { type: 'service_unavailable', message: 'The store does not answer.' };
          return route.fulfill({ status: 503, json: { error } });
        });
        await page.getByLabel('API key or admin token').fill(admin_token);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByText('Loading…').first().waitFor();
        held?.();
        await page.getByText('The store does not answer. Trying again.').first().waitFor();
        broken = false;
        await page.getByText('The store does not answer.').first().waitFor({ state: 'detached' });
        await closeAnswered(page);
      }
    }),
  ];
};

/** Pages that load their content from the gateway. */
const asking = [
  ...['approvals', 'tools', 'sessions', 'requests', 'traffic', 'policies'],
  ...['alerts', 'budgets', 'rollouts', 'credentials', 'people', 'health'],
];
