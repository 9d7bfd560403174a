/** WASM filters that are missing, corrupt or trap: `on_error` decides, the call is recorded. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ChatGateway, eventsOf, startChatGateway } from '../support/chat-clients.ts';
import { built, checking, flagging } from '../unit/wasm/wat.ts';
import { until, workFolder } from './client.ts';

const folder = workFolder();
const path = (name: string) => join(folder, `${name}.wasm`);
const bad = ['missing', 'corrupt', 'trapping'] as const;

let gateway: ChatGateway;

beforeAll(async () => {
  writeFileSync(path('corrupt'), 'not WebAssembly');
  writeFileSync(path('trapping'), await built(checking('(unreachable)')));
  writeFileSync(path('flagging'), await built(flagging('{"action":"log","message":"not in this house"}')));
  gateway = await startChatGateway('cache: { enabled: false }\n');
});
afterAll(() => gateway?.stop(), 30_000);

/** Puts other filters in force, through the file the gateway watches. */
async function filters(policies: string): Promise<void> {
  const inForce = async () => (await gateway.admin<{ version: number }>('policies')).body.version;
  const before = await inForce();
  writeFileSync(gateway.file, `${gateway.yaml}policies: { ${policies} }\n`);
  await until('the import', async () => (await inForce()) > before || undefined);
}
const wasm = (name: string, more = '') => `{ name: ${name}, type: wasm, action: block, path: "${path(name)}"${more} }`;

describe('[error.bad-input] a filter that errs', () => {
  test.each(bad)('blocks unless configured otherwise: %s', async (name) => {
    await filters(`input: [${wasm(name)}]`);
    for (const stream of [false, true]) {
      const session = `block-${name}-${stream}`;
      const answer = await gateway.say('mock', 'hello', { session, body: { stream } });
      expect(answer.status).toBe(403);
      expect(answer.body.error).toMatchObject({ code: 403, type: 'policy_violation', policy: name });
      expect(await gateway.records(session)).toMatchObject([
        {
          outcome: 'blocked',
          matched_rule: `content:${name}`,
          findings: [{ policy: name, type: 'wasm', action: 'block', erred: true }],
          usage: { input_tokens: 0, output_tokens: 0 },
        },
      ]);
    }
    expect(await gateway.open()).toBe(0);
  });

  test('lets pass where on_error says so, and is recorded', async () => {
    await filters(`input: [${bad.map((name) => wasm(name, ', on_error: allow')).join(', ')}]`);
    const answer = await gateway.say('mock', 'hello', { session: 'allowed' });
    expect(answer.status).toBe(200);
    const [record] = await gateway.records('allowed');
    expect(record?.outcome).toBe('completed');
    expect(record?.findings?.map(({ policy, erred }) => [policy, erred]).sort()).toEqual(
      bad.map((name) => [name, true]).sort(),
    );
  });

  test('lets pass under permissive governance', async () => {
    await filters(`governance_mode: permissive, input: [${wasm('trapping')}]`);
    expect((await gateway.say('mock', 'hello', { session: 'permissive' })).status).toBe(200);
    expect(await gateway.records('permissive')).toMatchObject([{ findings: [{ policy: 'trapping', erred: true }] }]);
  });

  test('on output lets nothing of the reply leave, whole or streamed', async () => {
    await filters(`output: [${wasm('trapping')}]`);
    const whole = await gateway.say('mock', 'hello', { session: 'output' });
    expect(whole).toMatchObject({ status: 403, body: { error: { type: 'policy_violation', phase: 'output' } } });
    expect(whole.text).not.toContain('hello');
    const streamed = await gateway.say('mock', 'hello', { session: 'output', body: { stream: true } });
    expect(streamed.text).not.toContain('hello');
    expect(eventsOf(streamed.text).at(-1)).toMatchObject({ error: { type: 'policy_violation' } });
    const records = await gateway.records('output');
    expect(records.map(({ outcome }) => outcome)).toEqual(['blocked', 'blocked']);
    for (const { usage } of records) expect(usage.output_tokens).toBeGreaterThan(0);
    expect(await gateway.open()).toBe(0);
  });
});

test('[wasm.abi] a filter that flags says why; the entry’s action counts, not the module’s', async () => {
  await filters(`input: [${wasm('flagging')}]`);
  const answer = await gateway.say('mock', 'hello');
  expect(answer.status).toBe(403);
  expect(answer.text).toContain('not in this house');
});
