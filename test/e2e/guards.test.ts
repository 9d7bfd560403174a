/** Guards and capabilities over HTTP, under an own rule that allows every call over MCP. */
import { readFileSync } from 'node:fs';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ask, configurationWith, decided, e2eConfiguration, type Fields } from './client.ts';

let gateway: Gateway;
let url: string;
let token: string;
const open = '    - { protocol: mcp, decision: allow }';
const yaml = readFileSync(e2eConfiguration, 'utf8').replace('  rules:\n', `  rules:\n${open}\n`);

beforeAll(async () => {
  gateway = await startGateway({ config: configurationWith(() => yaml) });
  url = gateway.ready.admin_url;
  token = gateway.keys.admin_token;
});
afterAll(() => gateway?.stop());

const put = (raw: string) =>
  ask<{ version: number; warnings: string[]; error?: Fields }>(url, 'PUT', '/admin/v1/config', {
    key: token,
    raw,
    headers: { 'content-type': 'application/yaml' },
  });
const call = (more: Fields) => ({ protocol: 'mcp', tool: 'get_file', target: '', capability: 'read', ...more });

test('[policy.guards] an own rule that allows everything lifts no guard', async () => {
  const dry = (parameters: Fields) => decided(url, 'e2e-agent', { ...call({ parameters }), dry_run: true });
  expect(await dry({ target_file: '.env' })).toMatchObject({ decision: 'block', matched_rule: 'guard:secret-files' });
  expect(await dry({ uris: ['file:///root/.ssh/id_rsa'] })).toMatchObject({ decision: 'block' });
  expect(await dry({ relative_path: '../x' })).toMatchObject({ matched_rule: 'guard:climbing-out' });
  expect(await dry({ path: 'docs/.env.example' })).toMatchObject({ decision: 'allow', matched_rule: 'mcp:*' });
});

test('[policy.guards] [policy.why] [policy.simulate] a blocked call is evidence, and why and simulate name the guard', async () => {
  const given = call({ parameters: { path: '.env' } });
  const result = await decided(url, 'e2e-agent', given);
  expect(result.error).toMatchObject({ code: -32001, data: { reason: expect.stringContaining('secret') } });
  const { body } = await ask<{ trace: Fields[] }>(url, 'GET', `/admin/v1/actions/${result.envelope_id}/why`, {
    key: 'e2e-alice',
  });
  expect(body.trace.at(-1)).toMatchObject({ rule: 'guard:secret-files', matched: true });
  const simulated = await ask<{ results: Fields[] }>(url, 'POST', '/admin/v1/simulate', {
    key: 'e2e-alice',
    body: { calls: [given] },
  });
  expect(simulated.body.results[0]).toMatchObject({ decision: 'block', matched_rule: 'guard:secret-files' });
});

test('[policy.guards.disable] a disabled guard is a warning of the load and of status, and the act names it', async () => {
  const stored = await put(yaml.replace('tool_policies:\n', 'tool_policies:\n  disable_guards: [secret-files]\n'));
  expect([stored.status, stored.body.warnings.join()]).toEqual([201, expect.stringContaining('secret-files')]);
  const { body } = await ask<{ warnings: string[] }>(url, 'GET', '/admin/v1/health/detailed', { key: 'e2e-alice' });
  expect(JSON.stringify(body)).toContain('The guard secret-files of pack');
  const given = { ...call({ parameters: { path: '.env' } }), dry_run: true };
  expect((await decided(url, 'e2e-agent', given)).decision).toBe('allow');
  const day = new Date().toISOString().slice(0, 10);
  const acts = await ask<{ entries: { body: Fields }[] }>(
    url,
    'GET',
    `/admin/v1/evidence/sessions/admin-default-${day}/export`,
    { key: 'e2e-alice' },
  );
  expect(acts.body.entries.map((entry) => entry.body)).toContainEqual(
    expect.objectContaining({ action: 'config.put', disabled_guards: ['secret-files'] }),
  );
  const refused = await put(yaml.replace('tool_policies:\n', 'tool_policies:\n  disable_guards: [secret-file]\n'));
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining('secret-files')]);
});

test('[action.claims-only-tighten] [policy.capability-words] a claim of less is not believed, an unknown word is refused', async () => {
  await put(yaml.replace(open!, '    - { protocol: mcp, capability: read, decision: allow }'));
  const as = (tool: string) => decided(url, 'e2e-agent', { ...call({ tool }), dry_run: true });
  expect((await as('get_file')).decision).toBe('allow');
  for (const tool of ['search_and_replace', 'k8s.list_apply', 'getAndScale', 'frobnicate'])
    expect([tool, (await as(tool)).decision]).not.toEqual([tool, 'allow']);
  for (const path of ['/admin/v1/test-action', '/admin/v1/simulate']) {
    const wrong = call({ capability: 'fly' });
    const body = path.endsWith('simulate') ? { calls: [wrong] } : wrong;
    const answer = await ask<Fields>(url, 'POST', path, { key: 'e2e-agent', body });
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([
      400,
      expect.stringContaining('read, write, execute, delete'),
    ]);
  }
});

test('[action.arguments-tighten] an argument makes a call graver, and a graver call lifts no guard', async () => {
  await put(yaml.replace(open, '    - { protocol: mcp, tool: "get_*", capability: "{read,write}", decision: allow }'));
  const as = (tool: string, parameters: Fields, more: Fields = {}) =>
    decided(url, 'e2e-agent', { ...call({ tool, parameters }), dry_run: true, ...more });
  expect((await as('get_api', { path: '/users/7', method: 'GET' })).decision).toBe('allow');
  expect((await as('get_api', { path: '/users/7', method: 'PATCH' })).decision).toBe('allow');
  expect((await as('get_api', { path: '/users/7', method: 'DELETE' })).decision).not.toBe('allow');
  expect((await as('get_items', { purge: 'true' })).decision).not.toBe('allow');
  const guarded = { decision: 'block', matched_rule: 'guard:secret-tools' };
  expect(await as('get_secret', { name: 'db' }, { capability: 'write' })).toMatchObject(guarded);
  expect(await as('get_secret', { name: 'db', mark_as_read: true })).toMatchObject(guarded);

  const made = await decided(url, 'e2e-agent', call({ tool: 'get_secret', capability: 'write' }));
  const why = await ask<{ trace: Fields[] }>(url, 'GET', `/admin/v1/actions/${made.envelope_id}/why`, {
    key: 'e2e-alice',
  });
  expect(why.body.trace).toContainEqual(expect.objectContaining({ rule: 'guard:secret-tools', matched: true }));
});
