/** Executable text is shown and recorded whole, or the call is refused. */

import * as z from 'zod';
import { programPaths } from '#core/actions/program-texts.ts';
import { keys } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';
import { object, readCases, rows, text } from '../support/yaml.ts';

const action = z.object({
  protocol: text.default('mcp'),
  tool: text,
  target: text.optional(),
  capability: text.default('execute'),
  parameters: object,
});
const cases = readCases(
  'test/contract/secret-in-program.yaml',
  z.strictObject({ secrets: rows(text, action), references: z.array(action) }),
);

let count = 0;

const gateway = useGateway({ extra: 'behavior: { enabled: false }' });
const { call } = gateway;

const shell = (command: string) => ({
  protocol: 'shell',
  tool: 'shell.run',
  capability: 'execute',
  parameters: { command },
});
const tool = (name: string, parameters: object) => ({ protocol: 'mcp', tool: name, capability: 'execute', parameters });

async function act(action: object) {
  const session = `program-${++count}`;
  const { body } = await gateway.act({ target: '', ...action, actor: { session } });
  const bundle = await call('GET', `/admin/v1/evidence/sessions/${session}/export`, { key: keys.human });
  return { body, bundle };
}

const item = (id: string) => call('GET', `/admin/v1/approvals/${id}`, { key: keys.human });

test.each(cases.secrets)(
  '[approval.secret-in-program] a secret in %s: the call is refused with advice on how to pass it, and recorded without it',
  async (_, action) => {
    const { body, bundle } = await act(action);
    expect(body).toMatchObject({ decision: 'block', matched_rule: 'effects:secret', error: { code: -32001 } });
    expect(body.error.data.reason).toMatch(/Found what looks like a secret in (?:parameters|target).*by reference/);
    expect(body.error.data.suggested_alternative).toMatch(/\$NAME.*credentials\.grants/);
    for (const part of ['swordfish', 'get.example']) expect(bundle.text).not.toContain(part);
    expect(bundle.body.entries.at(-1).body.withheld.length).toBe(1);
  },
);

test.each(cases.references)(
  '[approval.secret-in-program] references and prose are not secrets, and the reviewer sees every byte: %j',
  async (action) => {
    const { body } = await act(action);
    expect(body.matched_rule).not.toBe('effects:secret');
    if (body.decision !== 'review') return;
    const { parameters, withheld } = (await item(body.envelope_id)).body;
    expect([parameters, withheld]).toEqual([action.parameters, []]);
  },
);

test('[approval.card] only the secret is withheld from other parameters, and the item names its place', async () => {
  const { body } = await act(
    tool('tracker.create_issue', { title: 'Rotate', body: 'was Authorization: Basic QWxhZGRpbg== until May' }),
  );
  const { parameters, withheld } = (await item(body.envelope_id)).body;
  expect(parameters.body).toMatch(/^was Authorization: \[redacted:[0-9a-f]{16}:[0-9a-f]{16}\] until May$/);
  expect(withheld).toEqual(['$.parameters.body']);
});

test('[approval.secret-in-program] a dry run and a simulation decide alike', async () => {
  const bare = { target: '', ...shell('PGPASSWORD=swordfish psql') };
  const dry = await gateway.act({ ...bare, dry_run: true });
  const simulated = await call('POST', '/admin/v1/simulate', { key: keys.human, body: { calls: [bare] } });
  for (const { matched_rule } of [dry.body, simulated.body.results[0]]) expect(matched_rule).toBe('effects:secret');
});

test('which texts are executed', () => {
  const paths = (action: object) => [...programPaths({ target: '', ...action } as never)];
  expect(paths(shell('ls'))).toEqual(['$.parameters.command']);
  expect(paths(tool('files.write', { path: 'x.sh', content: 'rm -rf /' }))).toEqual([]);
  expect(paths(tool('files.search', { query: 'select' }))).toEqual([]);
  expect(paths(tool('browser.run', { initScript: 'x', steps: [{ code: 'y' }] }))).toEqual([
    '$.parameters.initScript',
    '$.parameters.steps[0].code',
  ]);
  const nested = { scripts: { "it's": 'x', env: { API_TOKEN: 'y' } }, steps: [{ name: 'a', run: 'z' }], dryRun: true };
  expect(paths(tool('ci.start', nested))).toEqual(['$.parameters.scripts["it\'s"]', '$.parameters.steps[0].run']);
  expect(paths({ protocol: 'http', tool: 'http.post', capability: 'write', parameters: { code: 'x' } })).toEqual([]);
});
