/** The published JSON Schema, which editors use to check a configuration, agrees with the gateway's own checks. */
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { parse } from 'yaml';

const schema = JSON.parse(readFileSync('docs/reference/gateway.schema.json', 'utf8')) as object;
const validates = new Ajv({ strict: false, validateFormats: false }).compile(schema);
const shipped = () => parse(readFileSync('config/gateway.yaml', 'utf8')) as Record<string, unknown>;

test('[config.schema-published] the shipped configuration matches the published schema', () => {
  expect(validates(shipped()) || validates.errors).toBe(true);
});

test.each([
  ['an unknown key', { colour: 'red' }],
  ['a word outside its set', { messages: { tool_use: 'perhaps' } }],
  ['a number out of range', { approvals: { hold_seconds: 51 } }],
])('[config.schema-published] %s is not', (_what, more) => {
  expect(validates({ ...shipped(), ...more })).toBe(false);
});
