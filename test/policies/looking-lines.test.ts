/** Everyday lines that the packs allow, each with similar hostile lines that they do not allow. */
import * as z from 'zod';
import { readCallEffects } from '#adapters/sql/effect-reader.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { shellEffects } from '#core/effects/shell.ts';
import { capabilityOfCall } from '#core/policy/classification/agreed-capability.ts';
import { capabilityFromName } from '#core/policy/classification/classify-tool.ts';
import { shippedPolicy } from '../support/decide-line.ts';
import { object, readCases, rows, text, texts } from '../support/yaml.ts';

const cases = readCases(
  'test/policies/looking-lines.yaml',
  z.strictObject({
    codingAllows: texts,
    codingRefuses: texts,
    infraAllows: texts,
    infraRefuses: texts,
    neverAllowed: rows(text, object),
    allowed: rows(text, text, object),
  }),
);

const decider = (pack: string) => {
  const policy = shippedPolicy(pack);
  return (command: string) => {
    const call = { protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', parameters: { command } };
    return decideEffects(policy, call, shellEffects(call)).decision;
  };
};
const coding = decider('coding-agent');
const infra = decider('infra-review');

test.each(cases.codingAllows)('[pack.everyday] coding-agent allows %s', (line) => {
  expect(coding(line)).toBe('allow');
});

test.each(cases.codingRefuses)('[pack.everyday] coding-agent does not allow %s', (line) => {
  expect(coding(line)).not.toBe('allow');
});

test.each(cases.infraAllows)('[pack.everyday] infra-review allows %s', (line) => {
  expect(infra(line)).toBe('allow');
});

test.each(cases.infraRefuses)('[pack.everyday] infra-review does not allow %s', (line) => {
  expect(infra(line)).not.toBe('allow');
});

describe('a tool named after a program, with command-line words as parameters', () => {
  type Given = readonly [tool: string, parameters: Record<string, unknown>];
  const packs = new Map(
    ['readonly', 'pr-writer', 'coding-agent', 'infra-review'].map((pack) => [pack, shippedPolicy(pack)] as const),
  );
  const decided = async (pack: string, protocol: string, [tool, parameters]: Given) => {
    const named = { protocol, tool, target: '', parameters };
    const call = { ...named, capability: await capabilityOfCall(capabilityFromName(tool), named) };
    return decideEffects(packs.get(pack)!, call, await readCallEffects(call)).decision;
  };

  test.each(cases.neverAllowed)('[effects.profiles] no pack allows %s %j', async (...given) => {
    for (const pack of packs.keys())
      for (const protocol of ['mcp', 'http', 'other'])
        expect([pack, protocol, await decided(pack, protocol, given)]).not.toContain('allow');
  });

  test.each(cases.allowed)('[effects.profiles] %s allows %s %j', async (pack, ...given) => {
    expect(await decided(pack, 'mcp', given)).toBe('allow');
  });

  test('[effects.profiles] a call with more words than the reader accepts is unclear, but guards still see all its words', async () => {
    const many = { steps: [...Array.from({ length: 100 }, () => ({ args: ['pods'] })), { args: ['secret'] }] };
    const call = { protocol: 'mcp', tool: 'kubernetes.get', target: '', capability: 'read', parameters: many };
    const effects = await readCallEffects(call);
    expect([effects.parts.length, effects.unclear]).toEqual([
      1,
      'the call passes more words to kubectl than the gateway reads',
    ]);
    expect(await decided('infra-review', 'mcp', ['kubernetes.get', many])).toBe('block');
  });

  test('[effects.profiles] a list passed alongside a statement is treated as its values', async () => {
    const call = { protocol: 'mcp', tool: 'psql.query', target: '', capability: 'read' as const };
    const effects = await readCallEffects({ ...call, parameters: { query: 'select $1', args: ['--x'] } });
    expect(effects.unclear).toBeUndefined();
  });
});
