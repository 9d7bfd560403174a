/** Loading a policy does not build the automata of its guards. */
import { readFileSync } from 'node:fs';
import { packFiles } from '#adapters/files/pack-files.ts';
import { buildPolicyDocument } from '#core/configuration/load/policy-document.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { decide } from '#core/policy/rules/decide.ts';
import { loadConfiguration } from '#features/load-configuration.ts';

/** Pattern lengths of the automata that have been built. */
const mockBuilt: number[] = [];
jest.mock('#core/text/matching/automaton.ts', () => {
  const actual = jest.requireActual('#core/text/matching/automaton.ts');
  class Counted extends actual.Automaton {
    constructor(nodes: unknown) {
      super(nodes);
      mockBuilt.push(JSON.stringify(nodes).length);
    }
  }
  return { ...actual, Automaton: Counted };
});

test('loading the shipped configuration builds no guard automata', async () => {
  const packs = packFiles('policies');
  const { configuration } = await loadConfiguration(readFileSync('config/gateway.yaml', 'utf8'), { packs });
  const policy = compilePolicy(buildPolicyDocument(configuration));
  const large = (): number[] => mockBuilt.filter((length) => length > 10_000);
  expect(large()).toEqual([]);
  decide(policy, { protocol: 'shell', tool: 'shell.exec', target: 'cat notes', capability: 'read', parameters: {} });
  expect(large().length).toBeGreaterThan(0); // the first text that a guard checks
});
