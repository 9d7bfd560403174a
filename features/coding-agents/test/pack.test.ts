/**
 * Plays everyday work sessions under the `coding-agent` pack, sent the way a coding agent's hook sends them. Most calls
 * are allowed; calls that leave the workspace, and those that cause later unattended runs, are reviewed
 * [pack.coding-agent].
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { readPolicyFile, simulator } from '#agentctl/policy-file.ts';
import type { Decision, ToolCall } from '#core/contracts/envelope.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { decide as byPolicy } from '#core/policy/rules/decide.ts';
import { parsePack } from '#core/policy/rules/pack.ts';
import { object, readCases, text } from '../../../test/support/yaml.ts';
import { codingAgents } from '../commands/coding-agents.ts';
import { callsOfTool } from '../commands/coding-tool.ts';

const stepShape = z.union([text, z.tuple([text, object])]);
const { sessions, single } = readCases(
  'features/coding-agents/test/pack.yaml',
  z.strictObject({
    sessions: z.array(z.tuple([text, z.array(stepShape)])),
    single: z.array(z.tuple([z.enum(['allow', 'review', 'block']), stepShape])),
  }),
);

const workspace = mkdtempSync(join(tmpdir(), 'workspace-'));
let decide: ReturnType<typeof simulator>;
beforeAll(async () => {
  mkdirSync(join(workspace, 'src'));
  symlinkSync('/etc', join(workspace, 'linked'));
  decide = simulator(await readPolicyFile('policies/coding-agent.yaml'));
});
afterAll(() => rmSync(workspace, { recursive: true }));

async function decided(step: z.infer<typeof stepShape>): Promise<Decision> {
  const asked = JSON.parse(JSON.stringify(step).replaceAll('{root}', workspace)) as typeof step;
  const [tool, input] = typeof asked === 'string' ? (['Bash', { command: asked }] as const) : asked;
  const path = typeof input.file_path === 'string' ? { file_path: join(workspace, input.file_path) } : {};
  const [call] = callsOfTool(codingAgents['claude-code'], tool, { ...input, ...path }, { workspace, cwd: workspace });
  return call ? (await decide(call as Parameters<typeof decide>[0])).decision : 'allow';
}

test.each(sessions)('[pack.coding-agent] %s: every step is allowed without a human', async (_, steps) => {
  const found = await Promise.all(steps.map(async (step) => [JSON.stringify(step), await decided(step)]));
  expect(found.filter(([, decision]) => decision !== 'allow')).toEqual([]);
});

test.each(single)('[pack.coding-agent] %s: %j', async (expected, step) => {
  expect(await decided(step)).toBe(expected);
});

test('[pack.coding-agent] calls that the pr-writer table reviews or blocks are not allowed by the coding-agent pack', () => {
  const table = parse(readFileSync('policies/pr-writer.cases.yaml', 'utf8')) as (ToolCall & { decision: Decision })[];
  const policy = compilePolicy(parsePack(parse(readFileSync('policies/coding-agent.yaml', 'utf8')), 'coding-agent'));
  const looser = table.filter((row) => {
    const { decision } = byPolicy(policy, { ...row, parameters: row.parameters ?? {} });
    return decision === 'allow' && row.decision !== 'allow';
  });
  // This pack lets the agent write workspace files, both by editing lines and with `write_file`.
  expect(looser.map(({ tool, target }) => `${tool} ${target}`)).toEqual(['shell.redirect out.txt']);
  expect(table.length).toBeGreaterThan(60);
});
