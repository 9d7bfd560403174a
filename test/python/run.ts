/**
 * Python clients against a real local run and a scripted provider (`npm run test:python`): OpenAI, Anthropic,
 * pydantic-ai, LangChain, LiteLLM. They are installed once below `.emulator/`, from the Python package registry.
 * Without Python the run is skipped with a message; with PYTHON=required it fails instead.
 */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { LocalKeys } from '../../adapters/local/keys-file.ts';
import { startChild } from '../../bench/host.ts';
import type { ReadyEvent } from '../../bin/local/banner.ts';
import { run } from '../cloud/processes.ts';
import { type Check, check, runChecks } from '../support/checks.ts';
import { type FakeProvider, type RecordedRequest, say, startFakeProvider } from '../support/fake-providers.ts';
import type { Loose } from '../support/loose.ts';
import { modelOf } from '../support/odd-model.ts';
import { oddChecks } from './odd.ts';

const requirements = 'test/python/requirements.txt';
const venv = resolve('.emulator/python');
const python = join(venv, 'bin/python');

/** Installs the packages, and reinstalls them if the list has changed. */
async function install(): Promise<void> {
  const mark = join(venv, 'installed.txt');
  const wanted = readFileSync(requirements, 'utf8');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return;
  const env = { ...process.env } as Record<string, string>;
  await run('python3', ['-m', 'venv', venv], { env });
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements], { env });
  writeFileSync(mark, wanted);
}

/** Returns the model's response: the weather after a tool reported it, JSON if requested, otherwise a greeting. */
function answerTo({ body }: RecordedRequest) {
  const messages = body.messages as Loose[];
  const words = JSON.stringify(messages);
  if (messages.some(({ role }) => role === 'tool')) return say('It is sunny.');
  if (words.includes('weather in Oslo'))
    return say('', { toolCalls: [{ id: 'call_1', name: 'weather', input: { city: 'Oslo' } }] });
  if (words.includes('as json')) return say('{"city":"Oslo"}');
  return say(['Hello ', 'from ', 'the model.'], { inputTokens: 21, outputTokens: 9 });
}

const fakeYaml = (name: string, type: string, { baseUrl }: FakeProvider, models: string): string =>
  `  - { name: ${name}, type: ${type}, base_url: "${baseUrl}", api_key_env: FAKE_KEY, models: [${models}], breaker: { min_requests: 100000 } }\n`;

const configuration = (providers: string, more: string): string => `
version: 1
people: [{ id: alice, role: admin, tenants: ["*"] }]
providers:
${providers}
messages: { tool_use: govern }
cache: { enabled: false }
tenants:
  - id: default
    name: Default
    api_keys:
      - { key_env: GATEWAY_AGENT_KEY, role: operator, kind: agent, name: agent }
      - { key_env: GATEWAY_HUMAN_KEY, role: admin, kind: human, person: alice, name: alice }
${more}
`;

const clientsYaml = `
policies:
  input: [{ name: no-secret, type: keyword, action: block, keywords: ["project bluebird"] }]
tool_policies: { pack: null, default_decision: block, rules: [{ protocol: mcp, tool: weather, decision: allow }] }
`;
const toolsYaml = `
tool_policies: { pack: null, default_decision: block, rules: [{ protocol: mcp, tool: "{weather,picture}", decision: allow }] }
`;

interface Running {
  /**
   * Returns the output of a program that has only the gateway's key and address, so that a client that calls its vendor
   * fails.
   */
  told(program: string): Promise<Loose>;
}

/** Runs the work against a local run with scripted providers. */
async function withGateway<A>(providers: string, more: string, work: (running: Running) => Promise<A>): Promise<A> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-python-'));
  const config = join(folder, 'gateway.yaml');
  writeFileSync(config, configuration(providers, more));
  const ports = ['gateway', 'admin', 'mcp'].flatMap((name) => [`--${name}-port`, '0']);
  const gateway = await startChild('bin/local.ts', ['--config', config, '--state', folder, ...ports, '--no-edge'], {
    env: { FAKE_KEY: 'fake' },
  });
  try {
    const ready = gateway.ready as unknown as ReadyEvent;
    const keys = JSON.parse(readFileSync(ready.keys_file ?? '', 'utf8')) as LocalKeys;
    const known = {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      GATEWAY_URL: ready.gateway_url,
      GATEWAY_KEY: keys.agent,
    };
    return await work({
      async told(program) {
        const options = { env: known, maxBuffer: 64 * 1024 * 1024 };
        const { stdout } = await promisify(execFile)(python, [`test/python/${program}`], options);
        return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
      },
    });
  } finally {
    await gateway.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function prove(): Promise<void> {
  await install();
  const fake = await startFakeProvider({ kind: 'openai', script: answerTo });
  const one = fakeYaml('fake', 'openai', fake, 'gpt-client');
  try {
    const checks = await withGateway(one, clientsYaml, async ({ told }) => checksOf(await told('clients.py')));
    checks.push(...(await oddInputs()));
    const { passed, failed } = await runChecks(checks);
    console.log(`${passed} passed, ${failed} failed`);
    process.exitCode = failed === 0 ? 0 : 1;
  } finally {
    await fake.stop();
  }
}

async function oddInputs(): Promise<Check[]> {
  const hosts = {
    openai: await startFakeProvider({ kind: 'openai', script: modelOf('openai') }),
    anthropic: await startFakeProvider({ kind: 'anthropic', script: modelOf('anthropic') }),
  };
  const two =
    fakeYaml('openai', 'openai', hosts.openai, 'gpt-client') +
    fakeYaml('anthropic', 'anthropic', hosts.anthropic, 'claude-client');
  try {
    const outcomes = await withGateway(two, toolsYaml, ({ told }) => told('odd.py'));
    return oddChecks(outcomes, { openai: [...hosts.openai.requests], anthropic: [...hosts.anthropic.requests] });
  } finally {
    for (const host of Object.values(hosts)) await host.stop();
  }
}

const checksOf = (told: Loose) => {
  const { openai, anthropic, pydantic_ai, langchain, litellm, odd } = told;
  const each: readonly (readonly [string, Loose])[] = [
    ['openai', openai],
    ['anthropic', anthropic],
    ...['chat', 'responses'].map((kind) => [`langchain (${kind})`, langchain[kind]] as const),
    ...['chat', 'responses', 'messages'].map((kind) => [`pydantic-ai (${kind})`, pydantic_ai[kind]] as const),
    ...['openai', 'anthropic'].map((kind) => [`litellm (${kind})`, litellm[kind]] as const),
  ];
  return [
    ...each.flatMap(([client, results]) => [
      check(`[clients.libraries] ${client} gets a text${results.stream ? ', whole and in pieces' : ''}`, async () => {
        assert.equal(results.text, 'Hello from the model.');
        if (!results.stream) return;
        assert.ok(results.stream.length > 1, JSON.stringify(results.stream));
        assert.equal(results.stream.join(''), 'Hello from the model.');
      }),
      check(`[clients.libraries] ${client} raises what the gateway refuses, with status and reason`, async () => {
        assert.equal(results.refused.status, 403, JSON.stringify(results.refused));
        assert.match(results.refused.message, /blocked by policy no-secret/);
      }),
    ]),
    check('[clients.libraries] openai gets a response, a tool call, a parsed object and model names', async () => {
      const { responses, tool, parsed, models } = openai;
      assert.deepEqual([responses, tool, parsed], ['Hello from the model.', ['weather'], 'Oslo']);
      assert.deepEqual(models, ['gpt-client']);
    }),
    ...['openai', 'anthropic'].flatMap((client) => [
      check(
        `[clients.libraries] ${client} takes every option, and gives the raw answer its request id and a stream its end`,
        async () => {
          const { raw, final } = odd[client];
          assert.equal(raw[0], 'Hello from the model.');
          assert.match(raw[1], /^[0-9a-f-]{36}$/);
          assert.equal(raw[2], raw[1]);
          assert.deepEqual(final.slice(0, 2), ['Hello from the model.', 9]);
        },
      ),
      check(
        `[clients.libraries] ${client} raises errors of its own classes, each with status and request id`,
        async () => {
          const { too_long, empty, wrong_key, nothing_there } = odd[client];
          const wanted = [
            [too_long, 413, client === 'openai' ? 'APIStatusError' : 'ContentTooLargeError'],
            [empty, 400, 'BadRequestError'],
            [wrong_key, 401, 'AuthenticationError'],
            [nothing_there, 404, 'NotFoundError'],
          ];
          for (const [error, status, name] of wanted) {
            assert.deepEqual([error.class, error.status], [name, status]);
            assert.match(String(error.request_id), /^[0-9a-f-]{36}$/, name);
          }
        },
      ),
    ]),
    check('[clients.libraries] anthropic gets a tool call after a decision on it, and model names', async () => {
      assert.deepEqual([anthropic.tool, anthropic.models], [['weather'], ['gpt-client']]);
    }),
    check('[clients.libraries] langchain gets a tool call and structured output through every endpoint', async () => {
      for (const kind of ['chat', 'responses'])
        assert.deepEqual([langchain[kind].tool, langchain[kind].structured], [['weather'], { city: 'Oslo' }], kind);
    }),
    check('[clients.libraries] a pydantic-ai agent calls its tool through every endpoint', async () => {
      for (const kind of ['chat', 'responses', 'messages'])
        assert.deepEqual(pydantic_ai[kind].tool, { text: 'It is sunny.', heard: ['Oslo'] }, kind);
    }),
  ];
};

if (spawnSync('python3', ['--version']).status === 0) await prove();
else {
  process.stderr.write('SKIPPED: no Python client was run, because python3 is not installed.\n');
  process.exitCode = process.env.PYTHON === 'required' ? 1 : 0;
}
