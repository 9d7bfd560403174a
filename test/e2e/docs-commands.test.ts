/** Pages of the documentation, walked as a reader would: their commands run, in their order, and print what the page shows. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DocumentedRun, type Step, stepsOf, yamlOf } from '../support/documented-commands.ts';

interface Walk {
  /** By the beginning of a command: what the page has its reader do by hand before. `yaml` are the page's YAML blocks. */
  readonly before?: Readonly<Record<string, (run: DocumentedRun, yaml: readonly string[]) => Promise<unknown>>>;
  /** Variables that the page uses for a key. */
  readonly keys?: Readonly<Record<string, 'agent' | 'human'>>;
  /** Commands that report something to be done, which is exit code 1. */
  readonly reports?: RegExp;
  /** Commands that need something this test has not. */
  readonly not?: RegExp;
}

/** What needs an account, another program or a release, or is the start that the test has made already. */
const elsewhere =
  /^(?:npm (?:ci|start|test|run|pack|install)|npx cdk|aws |git (?:fetch|checkout))|<AdminUrl>|<GatewayUrl>/;

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

/** A pattern that RE2 has not, at the line that the page names. */
const lookaround = `version: 1\ntenants: [{ id: default, name: Default, api_keys: [{ key_env: GATEWAY_AGENT_KEY, name: agent, role: viewer, kind: agent }] }]${'\n'.repeat(24)}policies:\n  output: [{ name: x, type: regex, action: block, patterns: ["(?<=a)b(?=c)"] }]\n`;

const walks: Readonly<Record<string, Walk>> = {
  'README.md': {},
  'docs/tutorial/first-governed-action.md': {},
  'docs/tutorial/first-governed-chat.md': {
    before: { 'npx agentctl chat "Write to bob': (run, [filters = '']) => run.configure(filters) },
  },
  'docs/how-to/check-policies-in-ci.md': {
    before: {
      'npx agentctl config check': async (run, [cases = '']) => {
        run.write('cases.yaml', cases);
        await run.shell('cp config/gateway.yaml main.yaml');
      },
    },
  },
  'docs/how-to/declare-a-task.md': {
    before: {
      "npx agentctl manifest create --name 'fix": (run, [mode = '']) => run.configure(mode),
      "npx agentctl manifest drift '<id>'  ": acted('mail-3'),
    },
    reports: /manifest drift/,
  },
  'docs/how-to/govern-a-coding-agent.md': {},
  'docs/how-to/mine-a-policy.md': {
    before: {
      'npx agentctl evidence export': acted('monday'),
      'npx agentctl evidence verify': all(key('monday', 'gateway.pem'), acted('tuesday'), (run) =>
        run.shell('agentctl evidence export --session tuesday --out tuesday.json'),
      ),
    },
  },
  'docs/how-to/point-your-sdk.md': { not: /^export ANTHROPIC|^claude$/ },
  'docs/how-to/query-with-graphql.md': { keys: { KEY: 'human' } },
  'docs/how-to/roll-out-a-provider.md': {
    before: {
      'npx agentctl rollout create': (run) =>
        run.configure(`
providers:
  - { name: mock, type: mock, models: ["mock", "mock-*"] }
  - { name: openai, type: mock, models: ["gpt-*"] }
  - { name: openai-eu, type: mock, models: ["gpt-*"] }
routes: [{ match: { model: "gpt-*" }, providers: [openai] }]
`),
    },
  },
  'docs/how-to/runbook.md': { reports: /doctor/ },
  'docs/how-to/serve-data-planes.md': {
    before: { 'npx agentctl federation key': (run, [planes = '']) => run.configure(planes) },
    reports: /federation planes/,
  },
  'docs/how-to/sign-approvals-with-a-passkey.md': {
    before: {
      'npx agentctl evidence export': acted('release-42'),
      'npx agentctl evidence verify': key('release-42', 'gateway.pem'),
    },
  },
  'docs/how-to/use-the-local-edge.md': { not: /my-agent\.js/ },
  'docs/how-to/verify-evidence-offline.md': {
    before: {
      'openssl pkey': acted('demo'),
      'npx agentctl evidence verify --file bundle.json --public-key key.pem --checkpoints': (run) =>
        run.shell('cp .gateway/checkpoints.jsonl .'),
    },
  },
  'docs/how-to/write-a-content-policy.md': {
    before: {
      'npx agentctl config put': async (run) => run.write('gateway.yaml', lookaround),
      'npx agentctl chat "my address': (run) =>
        run.configure('policies: { input: [{ name: personal, type: pii, action: redact, entities: [email] }] }'),
    },
    not: /--model talker/,
  },
  'docs/how-to/write-a-policy.md': {
    before: {
      'npx agentctl config diff': async (run) =>
        run.write('config/gateway.yaml', run.read('config/gateway.yaml').replace('pr-writer', 'read-only')),
      "npx agentctl why '<envelope_id>'": acted('demo'),
    },
    reports: /config diff|simulate|diff-policy/,
  },
};

test.each(Object.entries(walks))(
  '[docs.commands] the commands of %s run, and print what the page shows',
  async (page, walk) => {
    const markdown = readFileSync(page, 'utf8');
    const run = await DocumentedRun.start(walk.keys ?? {});
    try {
      const found = [];
      for (const step of stepsOf(markdown)) {
        if (elsewhere.test(step.command) || walk.not?.test(step.command)) continue;
        const [, prepare] = Object.entries(walk.before ?? {}).find(([start]) => step.command.startsWith(start)) ?? [];
        await prepare?.(run, yamlOf(markdown));
        found.push(await problemOf(run, step, walk));
      }
      expect(found.length).toBeGreaterThan(0);
      expect(found.filter((problem) => problem !== undefined)).toEqual([]);
    } finally {
      await run.stop();
    }
  },
);

/** A command without a shown output succeeds, unless it reports something; a usage error, a gateway that is away and a missing program end with 2 or more. */
async function problemOf(run: DocumentedRun, step: Step, { reports }: Walk) {
  const { line, command, output } = step;
  const ran = await run.run(step);
  const expected = output === undefined ? undefined : await run.mismatch(step, ran);
  const most = output !== undefined || reports?.test(command) ? 1 : 0;
  return ran.code > most || expected !== undefined ? { line, command, ...ran, expected } : undefined;
}

/** Their commands need an account, a cluster, a published package, another provider, an upstream or a signed index; each says where it was tried. */
const notWalked = [
  'add-a-provider',
  'deploy-to-aws',
  'install-plugins',
  'install-the-package',
  'operate-a-deployment',
  'put-the-edge-in-front',
  'rotate-keys',
  'run-a-data-plane',
  'run-on-kubernetes',
  'run-several-gateways-over-one-store',
  'run-the-streaming-plane',
  'run-tools-through-the-gateway',
  'set-limits-and-budgets',
  'sign-in-with-oidc',
];

test('[docs.commands] every page with commands is walked, or stands among those that need something else', () => {
  const pages = readdirSync('docs/how-to').map((name) => join('docs/how-to', name));
  const without = pages.filter((page) => stepsOf(readFileSync(page, 'utf8')).length > 0 && !(page in walks));
  expect(without).toEqual(notWalked.map((name) => join('docs/how-to', `${name}.md`)));
});
