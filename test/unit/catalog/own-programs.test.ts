/** Programs that a deployment describes in its configuration. */

import * as z from 'zod';
import { readCallEffects } from '#adapters/sql/effect-reader.ts';
import { compareConfigurations } from '#core/configuration/compare.ts';
import { buildPolicyDocument } from '#core/configuration/load/policy-document.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { ownFactsIn } from '#core/operations/explained.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { readCases, rows, text } from '../../support/yaml.ts';
import { load } from '../configuration/loading.ts';
import { base } from '../configuration/memory.ts';

const cases = readCases('test/unit/catalog/own-programs.yaml', z.strictObject({ lines: rows(text, text) }));

const shopctl = `shopctl: {
  options: { flags: "-q --quiet", values: { word: "-n --shop", read: "--token-file" } },
  scopes: { shop: "-n --shop" },
  commands: {
    pods list: read,
    pods restart: { does: write, says: restarts, target: 1, kind: pod },
    pods delete: { does: delete, target: 1, kind: pod, options: { flags: "--now", values: "--grace" }, risk: destroys },
    apply: { does: write, operands: [source] },
    tokens show: secret,
    "describe-*": read,
  },
}`.replaceAll(/\s+/g, ' ');
const rules = `[
  { protocol: shell, tool: shell.shopctl, capability: read, decision: allow, arguments: { argv: { absent: false } } },
  { protocol: shell, tool: shell.shopctl, capability: delete, decision: block, reason: "No deletions." },
]`;
const configured = (programs: string) =>
  base(`catalog: { programs: { ${programs} } }`).replace(
    'pack: null',
    `pack: coding-agent, rules: ${rules.replaceAll(/\s+/g, ' ')}`,
  );

const call = (command: string) => ({
  protocol: 'shell',
  tool: 'shell.run',
  target: '',
  capability: 'execute',
  parameters: { command },
});

async function decided(line: string, programs = shopctl) {
  const { configuration } = await load(configured(programs));
  const effects = await readCallEffects(call(line), configuration.catalog.programs);
  const { decision } = decideEffects(compilePolicy(buildPolicyDocument(configuration)), call(line), effects);
  return { decision, effects };
}

describe('[catalog.own]', () => {
  test.each(cases.lines)('%s: %s', async (line, expected) => {
    expect((await decided(line)).decision).toBe(expected);
  });

  test('without a catalog entry the program is unknown', async () => {
    const { decision, effects } = await decided('shopctl pods list', '');
    expect([decision, effects.unclear]).toEqual([
      'review',
      expect.stringContaining('shopctl is not a supported program'),
    ]);
  });

  test('rules and approvals see a command’s action, object and location', async () => {
    const { parts } = (await decided('shopctl -n north pods restart web')).effects;
    expect(parts).toMatchObject([
      {
        tool: 'shell.shopctl',
        target: 'pods restart web -n north',
        capability: 'write',
        parameters: {
          operation: 'pods restart',
          objects: ['pod/web'],
          shop: 'north',
          action: 'restarts pod web in shop north',
        },
      },
    ]);
    const [deleted] = (await decided('shopctl pods delete web')).effects.parts;
    expect(deleted!.parameters.risk).toBe('destroys');
  });

  test('a rule that names a configured program is not reported as misspelled', async () => {
    const warningsOf = async (programs: string) => {
      const text = configured(programs).replaceAll('shell.shopctl', 'shell.pytests');
      return (await load(text)).warnings.filter((each) => each.includes('did you mean'));
    };
    expect(await warningsOf('')).toEqual([
      expect.stringContaining('shell.pytest'),
      expect.stringContaining('shell.pytest'),
    ]);
    expect(await warningsOf('pytests: { commands: { pods list: read } }')).toEqual([]);
  });

  test.each([
    [
      'kubectl: { commands: { delete: read } }',
      /catalog\.programs\.kubectl \(line \d+\): found kubectl, allowed a program/,
    ],
    ['rm: { commands: { x: read } }', /catalog\.programs\.rm/],
    ['npm: { commands: { install: read } }', /catalog\.programs\.npm/],
    ['git: { commands: { push: read } }', /catalog\.programs\.git/],
    ['bash: { commands: { x: read } }', /catalog\.programs\.bash/],
    ['python3.12: { commands: { x: read } }', /catalog\.programs\."python3\.12"/],
    ['eval: { commands: { x: read } }', /catalog\.programs\.eval/],
    ['Shopctl: { commands: { x: read } }', /the name of a program in lower case/],
    ['shopctl: { commands: {} }', /at least one command/],
    ['shopctl: { commands: { x: look } }', /catalog\.programs\.shopctl\.commands\.x/],
    ['shopctl: { options: { flags: "-n", values: "-n" }, commands: { x: read } }', /shopctl: -n is listed twice/],
    ['shopctl: { commands: { x: { does: read, target: 1, operands: [object] } } }', /found target and operands/],
    ['shopctl: { commands: { x: { does: read, operands: [command] } } }', /a role, such as object/],
    ['shopctl: { options: { flags: "quiet" }, commands: { x: read } }', /names of options/],
  ])('%s is refused', async (programs, message) => {
    await expect(load(configured(programs))).rejects.toThrow(message);
  });
});

describe('[policy.diff]', () => {
  test('`policy diff` lists each added command', async () => {
    const [before, after] = await Promise.all(
      ['', 'shopctl: { commands: { "tokens show": secret } }'].map(
        async (text) => (await load(configured(text))).configuration,
      ),
    );
    expect(compareConfigurations(before!, after!)).toEqual([
      { section: 'catalog', path: 'catalog.programs.shopctl.commands."tokens show"', to: '"secret"' },
    ]);
  });

  test('lists the catalog entries that a call matches', async () => {
    const text = base(
      `catalog: { secret_files: ["**.sealed", "**.locked"], networks: { private: ["8.8.0.0/16", "*.shop.example"] }, programs: { ${shopctl} } }`,
    );
    const { catalog } = (await load(text)).configuration;
    const facts = async (line: string) =>
      ownFactsIn(catalog, call(line), (await readCallEffects(call(line), catalog.programs)).parts);
    expect(
      await facts('shopctl pods delete web && curl https://api.shop.example/x 8.8.4.4:80 && cat a.sealed'),
    ).toEqual([
      { entry: 'programs: shopctl', found: 'shopctl pods delete web' },
      { entry: 'secret_files: **.sealed', found: 'a.sealed' },
      { entry: 'networks.private: *.shop.example', found: 'https://api.shop.example/x' },
      { entry: 'networks.private: 8.8.0.0/16', found: '8.8.4.4:80' },
    ]);
    expect(await facts('kubectl get pods && curl https://shop.example && cat README.md')).toEqual([]);
  });
});
