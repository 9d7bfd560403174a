/**
 * Pages whose commands a test runs, with the reader's manual steps; and commands that cannot run here, each with the
 * reason.
 */
import { resolve } from 'node:path';
import * as z from 'zod';
import type { DocumentedRun } from './documented-commands.ts';
import { fakeHttpService } from './fake-http-service.ts';
import { readCases } from './yaml.ts';

export interface Walk {
  /**
   * Set for a page that changes the configuration, or shows output that only a new gateway prints. The other pages
   * share a gateway.
   */
  readonly ownGateway?: true;
  /**
   * Manual steps that the page has its reader do before a command, keyed by the beginning of the command. `yaml` holds
   * the page's YAML blocks.
   */
  readonly before?: Readonly<Record<string, (run: DocumentedRun, yaml: readonly string[]) => Promise<unknown>>>;
  /** Variables that the page uses for a key. */
  readonly keys?: Readonly<Record<string, 'agent' | 'human'>>;
  /** Commands that report pending work, with exit code 1. */
  readonly reports?: RegExp;
}

const acted = (session: string) => (run: DocumentedRun) =>
  run.shell(
    `agentctl test-action --protocol git --tool scm.get_file_contents --target acme/web --capability read --session ${session}`,
  );
const key = (session: string, file: string) => (run: DocumentedRun) =>
  run.shell(`agentctl evidence public-key --session ${session} --out ${file}`);
const all =
  (...steps: readonly ((run: DocumentedRun) => Promise<unknown>)[]) =>
  async (run: DocumentedRun) => {
    for (const step of steps) await step(run);
  };

/** Documents that the feature's tests sign. The path is computed, so that the feature can be removed. */
const signedPlugins = (): Promise<{
  indexOf(): object;
  rootKeys: { pem: { publicKey: string } };
  about: Record<string, unknown>;
}> => import(resolve('features/plugins/test/signed-plugins.ts'));

/** A pattern that RE2 does not support, at the line that the page names. */
const lookaround = `version: 1\ntenants: [{ id: default, name: Default, api_keys: [{ key_env: GATEWAY_AGENT_KEY, name: agent, role: viewer, kind: agent }] }]${'\n'.repeat(24)}policies:\n  output: [{ name: x, type: regex, action: block, patterns: ["(?<=a)b(?=c)"] }]\n`;

export const walks: Readonly<Record<string, Walk>> = {
  'README.md': { ownGateway: true },
  'docs/tutorial/first-governed-action.md': { ownGateway: true },
  'docs/tutorial/first-governed-chat.md': {
    ownGateway: true,
    before: { './agentctl chat "Write to bob': (run, [filters = '']) => run.configure(filters) },
  },
  'docs/tutorial/govern-your-first-agent.md': {
    ownGateway: true,
    before: { './agentctl setup claude-code': (run) => run.configure('tool_policies: { pack: coding-agent }') },
  },
  'docs/how-to/run-in-production.md': {},
  'docs/how-to/check-policies-in-ci.md': {
    before: {
      './agentctl config check': async (run, [cases = '']) => {
        run.write('cases.yaml', cases);
        await run.shell('cp config/gateway.yaml main.yaml');
      },
    },
  },
  'docs/how-to/declare-a-task.md': {
    ownGateway: true,
    before: {
      "./agentctl manifest create --name 'fix": (run, [mode = '']) => run.configure(mode),
      "./agentctl manifest drift '<id>'  ": acted('mail-3'),
    },
    reports: /manifest drift/,
  },
  'docs/how-to/govern-a-coding-agent.md': {},
  'docs/how-to/rotate-keys.md': {
    before: { 'agentctl tenants put': async (run) => run.write('acme.json', JSON.stringify({ name: 'Acme' })) },
  },
  'docs/how-to/install-plugins.md': {
    before: {
      './agentctl supply-chain trust': async (run) => {
        const { indexOf, rootKeys } = await signedPlugins();
        run.write('index.json', JSON.stringify(indexOf()));
        run.write('root.pem', rootKeys.pem.publicKey);
      },
      './agentctl supply-chain keygen --out root': (run) => run.shell('rm root.pem index.json'),
      './agentctl supply-chain sign keyword-guard.wasm': async (run) => {
        run.write('guard.json', JSON.stringify((await signedPlugins()).about));
        await run.shell('cp plugins/keyword-guard.wasm .');
      },
      './agentctl supply-chain sign index.in.json': async (run) => {
        const sign = 'agentctl supply-chain sign keyword-guard.wasm --type artifact --about guard.json';
        await run.shell(`${sign} --signing-key publisher.key > entry.json`);
        const plugins = [JSON.parse(run.read('entry.json'))];
        const grant = {
          public_key: run.read('publisher.pem'),
          patterns: ['keyword-*'],
          not_after: '2099-01-01T00:00:00Z',
        };
        const documents = {
          index: { format: 1, sequence: 1, issued_at: '2026-11-01T00:00:00Z', plugins },
          delegations: { sequence: 1, delegations: [grant] },
          revocations: { sequence: 1, keys: [], artifacts: [] },
        };
        run.write('index.in.json', JSON.stringify(documents.index));
        run.write('delegations.json', JSON.stringify(documents.delegations));
        run.write('revocations.json', JSON.stringify(documents.revocations));
      },
      './agentctl supply-chain sign policies/mine.yaml': async (run) => {
        const { abi: _abi, phase: _phase, url: _url, ...rest } = (await signedPlugins()).about;
        const mine = { ...rest, name: 'mine', kind: 'policy_pack', permissions: [], url: 'mine-1.0.0.json' };
        run.write('mine.json', JSON.stringify(mine));
        await run.shell('cp policies/readonly.yaml policies/mine.yaml');
      },
    },
  },
  'docs/how-to/mine-a-policy.md': {
    before: {
      './agentctl evidence export': acted('monday'),
      './agentctl evidence verify': all(key('monday', 'gateway.pem'), acted('tuesday'), (run) =>
        run.shell('agentctl evidence export --session tuesday --out tuesday.json'),
      ),
    },
  },
  'docs/how-to/point-your-sdk.md': {},
  'docs/how-to/query-with-graphql.md': { keys: { KEY: 'human' } },
  'docs/how-to/roll-out-a-provider.md': {
    ownGateway: true,
    before: {
      './agentctl rollout create': (run) =>
        run.configure(`
providers:
  - { name: mock, type: mock, models: ["mock", "mock-*"] }
  - { name: openai, type: mock, models: ["gpt-*"] }
  - { name: openai-eu, type: mock, models: ["gpt-*"] }
routes: [{ match: { model: "gpt-*" }, providers: [openai] }]
`),
    },
  },
  'docs/how-to/run-tools-through-the-gateway.md': {
    ownGateway: true,
    before: {
      './agentctl test-action --protocol http': async (run, [, rule = '']) => {
        const service = await fakeHttpService(() => ({ body: { invoice: 7 } }));
        run.atEnd(() => service.stop());
        await run.configure(
          `upstreams: { http: [{ name: billing, base_url: "${service.url}", allow_private: true, allowed_paths: ["/**"] }] }`,
        );
        await run.configure(rule);
      },
    },
  },
  'docs/how-to/runbook.md': { reports: /doctor/ },
  'docs/how-to/serve-data-planes.md': {
    ownGateway: true,
    before: { './agentctl federation key': (run, [planes = '']) => run.configure(planes) },
    reports: /federation planes/,
  },
  'docs/how-to/sign-approvals-with-a-passkey.md': {
    before: {
      './agentctl evidence export': acted('release-42'),
      './agentctl evidence verify': key('release-42', 'gateway.pem'),
    },
  },
  'docs/how-to/use-the-local-edge.md': {},
  'docs/how-to/verify-evidence-offline.md': {
    before: {
      'openssl pkey': acted('demo'),
      './agentctl evidence verify --file bundle.json --public-key key.pem --checkpoints': (run) =>
        run.shell('cp .gateway/checkpoints.jsonl .'),
    },
  },
  'docs/how-to/write-a-content-policy.md': {
    ownGateway: true,
    before: {
      './agentctl config put': async (run) => run.write('gateway.yaml', lookaround),
      './agentctl chat "my address': (run) =>
        run.configure('policies: { input: [{ name: personal, type: pii, action: redact, entities: [email] }] }'),
    },
  },
  'docs/how-to/write-a-policy.md': {
    ownGateway: true,
    before: {
      './agentctl config diff': async (run) =>
        run.write('config/gateway.yaml', run.read('config/gateway.yaml').replace('pr-writer', 'read-only')),
      "./agentctl why '<envelope_id>'": acted('demo'),
    },
    reports: /config diff|simulate|diff-policy/,
  },
};

/** Commands that need something this machine lacks, and the tests that cover them; `page` limits a row to one page. */
const reason = z.strictObject({ needs: z.string(), commands: z.string(), page: z.string().optional() });
const elsewhere = readCases('test/support/documented-elsewhere.yaml', z.array(reason)).map((row) => ({
  ...row,
  commands: new RegExp(row.commands),
}));

interface Command {
  readonly page: string;
  readonly command: string;
}

const isFor =
  ({ commands, page: only }: (typeof elsewhere)[number]) =>
  ({ page, command }: Command): boolean =>
    commands.test(command) && (only === undefined || page.endsWith(`/${only}.md`));

/** Returns why a page's command cannot run here; undefined if it can. */
export const needsElsewhere = (command: Command): string | undefined =>
  elsewhere.find((reason) => isFor(reason)(command))?.needs;

/** Returns reasons that apply to no command. */
export const idleReasons = (commands: readonly Command[]): string[] =>
  elsewhere.filter((reason) => !commands.some(isFor(reason))).map(({ needs }) => needs);
