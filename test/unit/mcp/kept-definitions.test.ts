/** Definitions in the object store, under the fingerprint recorded in the marks. */

import { sha256 } from '#core/kernel/canonical.ts';
import { fingerprintOf, keepDefinitions, keptDefinition, keptSizes } from '#core/mcp/tools/kept-definitions.ts';

const memory = () => {
  const texts = new Map<string, Uint8Array>();
  return {
    texts,
    put: async (bytes: Uint8Array) => {
      const digest = sha256(bytes);
      texts.set(digest, bytes);
      return digest;
    },
    get: async (digest: string) => texts.get(digest),
  };
};
const telemetry = () => {
  const lines: unknown[] = [];
  return { lines, log: (...line: unknown[]) => void lines.push(line) };
};
const tool = (name: string, description = 'Reads.') => ({ name, description, inputSchema: { type: 'object' } });

test('[guard.changes] a definition is stored under its fingerprint, without the parts that the fingerprint omits', async () => {
  const results = memory();
  const counted = { ...tool('read'), icons: [{ src: 'data:,' }], _meta: { any: 1 } };
  const definition = { ...counted, 'x-revision': 7 };
  const kept = await keepDefinitions({ definitionTexts: results, telemetry: telemetry() }, [definition]);
  expect([...kept]).toEqual([[fingerprintOf(definition), true]]);
  expect(await keptDefinition(results, fingerprintOf(definition))).toEqual(counted);
  expect(await keptDefinition(results, 'f'.repeat(64))).toBeUndefined();
});

test('[guard.changes] a definition that is too large is not stored, but the others in its list are', async () => {
  const results = memory();
  const large = tool('large', 'x'.repeat(keptSizes.oneBytes));
  const kept = await keepDefinitions({ definitionTexts: results, telemetry: telemetry() }, [
    tool('a'),
    large,
    tool('b'),
  ]);
  expect(kept.get(fingerprintOf(large))).toBe(false);
  expect([...kept.values()].filter(Boolean)).toHaveLength(2);
  expect(results.texts.size).toBe(2);
});

test('[guard.changes] the size of the definitions stored by one list read is limited', async () => {
  const results = memory();
  const text = 'x'.repeat(keptSizes.oneBytes - 200);
  const many = Array.from({ length: 60 }, (_, at) => tool(`tool_${at}`, text));
  const kept = await keepDefinitions({ definitionTexts: results, telemetry: telemetry() }, many);
  const stored = [...results.texts.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);
  expect(stored).toBeLessThanOrEqual(keptSizes.allBytes);
  expect([...kept.values()].filter((each) => !each).length).toBe(60 - results.texts.size);
});

test('[guard.changes] an unreachable store is logged once, and no definition is reported as stored or too large', async () => {
  const log = telemetry();
  const results = { put: () => Promise.reject(new Error('down')) };
  const many = Array.from({ length: 30 }, (_, at) => tool(`tool_${at}`));
  expect((await keepDefinitions({ definitionTexts: results, telemetry: log }, many)).size).toBe(0);
  expect(log.lines).toHaveLength(1);
});
