/** A running gateway whose store somebody else writes to: what `agentctl` says of it, live and offline. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EntryDraft } from '#core/contracts/evidence.ts';
import { startDynamo, type TestDynamo } from '../support/dynamo.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { TableAttacker } from '../support/table-attacker.ts';
import { agentctl, ask, type Fields, workFolder } from './client.ts';

let dynamo: TestDynamo;
let gateway: Gateway;
let attacker: TableAttacker;
const folder = workFolder();

beforeAll(async () => {
  dynamo = await startDynamo();
  gateway = await startGateway({ env: { DYNAMODB_ENDPOINT: dynamo.endpoint } });
  attacker = new TableAttacker({ client: dynamo.client(), tables: await dynamo.createTables('gateway-') });
});
afterAll(async () => {
  await gateway?.stop();
  await dynamo?.stop();
});

const ctl = (...args: string[]) => agentctl(args, { GATEWAY_STATE: dirname(gateway.ready.keys_file) });
const verify = (...args: string[]) => ctl('evidence', 'verify', ...args);

/** Two reads and their results, under a checkpoint. */
async function session(name: string): Promise<void> {
  for (const target of ['acme/a', 'acme/b']) {
    const read = { protocol: 'git', tool: 'scm.get_file_contents', target, capability: 'read' };
    const body = { ...read, actor: { agent: 'a', session: name } };
    const { status } = await ask(gateway.ready.admin_url, 'POST', '/admin/v1/test-action', {
      key: gateway.keys.agent,
      body,
    });
    expect(status).toBe(200);
  }
  const { code, out } = await verify('--session', name);
  expect([code, out]).toEqual([0, expect.stringMatching(/^checkpoint: entries 0 to 3 are fixed by the one of /m)]);
  expect(out).toMatch(/^valid: true\ntotal_entries: 4\nsession_manifest_hash: [0-9a-f]{64}$/m);
  expect(out).toMatch(/^archive: 4 entries equal their copies$/m);
  expect(out).not.toMatch(/not checked/);
}

test('[evidence.rewriting.found] [cli.evidence.verify] a rewritten session and a deleted one are found by the CLI, and not exported', async () => {
  await session('rewritten');
  await session('deleted');
  const pem = join(folder, 'key.pem');
  const before = join(folder, 'before.json');
  expect((await ctl('evidence', 'export', '--session', 'rewritten', '--out', before)).code).toBe(0);
  expect((await ctl('evidence', 'public-key', '--session', 'rewritten', '--out', pem)).code).toBe(0);
  expect((await ctl('verify')).code).toBe(0);

  const story: EntryDraft[] = await attacker.entries('rewritten');
  await attacker.tell('rewritten', story.with(2, { ...story[2]!, body: { tool: 'scm.get_file_contents' } }));
  const live = await verify('--session', 'rewritten');
  expect(live).toMatchObject({ code: 1, out: expect.stringMatching(/^valid: false$/m) });
  expect(live.out).toMatch(/^broken_link: entry 2: the entry is not the one in the archive/m);
  expect((await ctl('evidence', 'export', '--session', 'rewritten')).code).not.toBe(0);
  const all = await ctl('verify');
  expect(all).toMatchObject({ code: 1, out: expect.stringMatching(/broken_link: session rewritten, entry 2/) });
  await attacker.tell('rewritten', story);
  expect((await verify('--session', 'rewritten')).code).toBe(0);

  await attacker.remove('deleted');
  expect((await ctl('verify')).out).toMatch(/broken_link: session deleted, entry 0: the session was deleted/);

  // Offline, the bundle from before speaks for itself; with the checkpoint file, too.
  const offline = ['--file', before, '--public-key', pem];
  const checkpoints = join(gateway.state, 'checkpoints.jsonl');
  for (const more of [[], ['--checkpoints', checkpoints]]) {
    const { code, out } = await verify(...offline, ...more);
    expect([code, out]).toEqual([0, expect.stringMatching(/^checkpoint: entries 0 to 3 are fixed/m)]);
  }
});

test('[evidence.checkpoint.file] offline, a spoilt checkpoint file and a bundle that departs from it are reported', async () => {
  await session('offline');
  const [pem, bundle] = [join(folder, 'key-2.pem'), join(folder, 'bundle.json')];
  await ctl('evidence', 'export', '--session', 'offline', '--out', bundle);
  await ctl('evidence', 'public-key', '--session', 'offline', '--out', pem);
  const lines = readFileSync(join(gateway.state, 'checkpoints.jsonl'), 'utf8');
  const check = async (text: string) => {
    const file = join(folder, 'checkpoints.jsonl');
    writeFileSync(file, text);
    const { code, out } = await verify('--file', bundle, '--public-key', pem, '--checkpoints', file, '--json');
    return { code, ...(JSON.parse(out) as Fields) };
  };
  expect(await check(lines)).toMatchObject({ code: 0, valid: true, not_checked: [], checkpoint: { index: 3 } });
  expect(await check('')).toMatchObject({
    ...{ code: 0, valid: true, not_checked: ['checkpoints not checked: the file holds none of this session'] },
  });
  const damaged = (what: string) => ({ not_checked: [expect.stringContaining(`checkpoints not checked: ${what}`)] });
  expect(await check(lines.replace('"version":1', '"version":2'))).toMatchObject(damaged('line 1'));
  expect(await check(lines.split('\n').slice(1).join('\n'))).toMatchObject(damaged('line 1'));
  expect(await check(lines.slice(0, -9))).toMatchObject(damaged('the checkpoint file ends within a line'));
  expect(await verify('--file', bundle, '--checkpoints', bundle)).toMatchObject({ code: 2 });
  expect(await verify('--session', 'offline', '--checkpoints', bundle)).toMatchObject({ code: 2 });
});
