/**
 * Lines and statements from real agents that have the same effects as an allowed call, and hostile ones that resemble
 * them.
 */
import * as z from 'zod';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { callOfLine, decideCall } from '../support/decide-line.ts';
import { readCases, texts } from '../support/yaml.ts';

const decided = async (call: ToolCall, pack: string) => (await decideCall(call, pack)).decision;
const coding = (line: string) => decided(callOfLine(line), 'coding-agent');
const sql = (text: string): ToolCall => ({
  protocol: 'sql',
  tool: 'sql.query',
  target: 'orders-db',
  capability: 'read',
  parameters: { sql: text },
});

const decisions = z.record(z.enum(['allow', 'review', 'block']), texts);
const cases = readCases('test/policies/field-lines.yaml', z.strictObject({ lines: decisions, statements: decisions }));
const rowsOf = (table: z.infer<typeof decisions>) =>
  Object.entries(table).flatMap(([decision, all]) => all.map((text) => [decision, text] as const));

test.each(rowsOf(cases.lines))('[pack.coding-agent] [effects.profiles] %s: %j', async (decision, line) => {
  expect((await coding(line)).decision).toBe(decision);
});

test.each([
  ['git branch -d merged-feature', /loses its name/],
  ['git tag -d v1', /loses its name/],
])('[pack.coding-agent] the reason for holding %j says what is lost', async (line, words) => {
  expect((await coding(line)).reason).toMatch(words);
});

test.each(rowsOf(cases.statements))('[pack.sql-explorer] %s: %j', async (decision, text) => {
  const { reason, decision: now } = await decided(sql(text), 'sql-explorer');
  expect(now).toBe(decision);
  if (decision === 'block') expect(reason).toContain('runs a program');
});
