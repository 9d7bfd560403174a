/** Refused configurations: the message names the position, the found and the allowed value, and shows no secret. */
import * as z from 'zod';
import { readCases } from '../../support/yaml.ts';
import { keys, load, rules, tenant } from './loading.ts';
import { base } from './memory.ts';

const texts = { base, keys, rules, tenant, whole: (text: string) => text };
const kinds = Object.keys(texts) as (keyof typeof texts)[];
const row = z.strictObject({
  what: z.string(),
  ...(Object.fromEntries(kinds.map((kind) => [kind, z.string().optional()])) as Record<
    keyof typeof texts,
    z.ZodOptional<z.ZodString>
  >),
  replace: z.tuple([z.string(), z.string()]).optional(),
  says: z.string(),
  hint: z.string().optional(),
});
const refusals = readCases('test/unit/configuration/refusals.yaml', z.record(z.string(), z.array(row)));
const secret = /canary|ghp_|AIza|hunter2|s3cr3t/;

describe.each(Object.entries(refusals))('[%s]', (_id, rows) => {
  test.each(rows)('refuses $what', async ({ replace, says, hint, ...row }) => {
    const kind = kinds.find((each) => row[each] !== undefined);
    const text = kind ? texts[kind](row[kind]!) : base();
    const message = await load(replace ? text.replace(...replace) : text).then(
      () => 'accepted',
      (refusal: Error) => refusal.message,
    );
    expect(message).toContain(says);
    if (hint) expect(message.split('\n').find((line) => line.includes(says))).toContain(hint);
    expect(message).not.toMatch(secret);
  });
});

test.each([
  'url: "https://notes.example.com/mcp?api-version=2024-10-21&tenant=acme"',
  'url: "https://notes.example.com/mcp?api_key_id=3&token_type=bearer&max_tokens=4000"',
  'url: "https://notes.example.com/oauth2/token/mcp"',
  'transport: stdio, command: [npx, server, --token-file, /run/token, --port, "4000"]',
  'transport: stdio, command: [npx, -y, "@scope/server@1.2.3", /srv/files]',
  'transport: stdio, command: [uvx, mcp-server-git, --repository, /srv/repo]',
])('[config.secrets-stay-bound] %s contains no secret', async (server) => {
  await expect(load(base(`upstreams: { mcp: [{ name: notes, ${server} }] }`))).resolves.toBeDefined();
});

test('[federation.document] accepts both federation roles; a data plane needs no tenant key', async () => {
  const digest = 'a'.repeat(64);
  const control = base(`federation: { role: control, planes: [{ name: eu, tokens: [{ token_sha256: ${digest} }] }] }`);
  expect((await load(control)).configuration.federation).toMatchObject({ role: 'control', max_staleness: '24h' });
  const bare = `version: 1\ntenants: [{ id: default, api_keys: [] }]`;
  const url = 'control_plane_url: "http://127.0.0.1:1"';
  const plane = `{ role: data, plane: eu, ${url}, token_env: PLANE_TOKEN, trusted_keys: [${digest}] }`;
  expect((await load(`${bare}\nfederation: ${plane}`)).configuration.federation).toMatchObject({
    role: 'data',
    stale: 'refuse',
    poll_seconds: 10,
  });
  await expect(load(bare)).rejects.toThrow('at least one API key');
});
