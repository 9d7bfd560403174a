/** Guards on paths: which words and parameters of a call are paths. */

import * as z from 'zod';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { decide } from '#core/policy/rules/decide.ts';
import { flag, object, readCases, rows, text } from '../../../support/yaml.ts';

const { blocked, passing } = readCases(
  'test/unit/policy/rules/guards.yaml',
  z.strictObject({ blocked: rows(text, object, flag), passing: rows(text, object, flag) }),
);

const policy = compilePolicy({
  name: 'test',
  default_decision: 'allow',
  guards: [
    {
      name: 'secrets',
      paths: ['**/.env', '.env', '**/* key', '/home/**/private'],
      except: ['docs/.env'],
      reason: 'no',
    },
  ],
  rules: [],
});
const blocks = (call: Partial<ToolCall>): boolean =>
  decide(policy, {
    protocol: 'mcp',
    tool: 'files.read',
    target: '',
    capability: 'read',
    parameters: {},
    ...call,
  }).decision === 'block';

test.each(blocked)('[policy.guards] the target: %s', (_what, call, blocked) => {
  expect(blocks(call)).toBe(blocked);
  expect(blocks({ ...call, protocol: 'shell' })).toBe(blocked);
});

test.each(passing)('[policy.guards] a parameter: %s', (_what, parameters, blocked) => {
  expect(blocks({ parameters })).toBe(blocked);
});

test('[policy.guards] a guard for the shell protocol checks all text under any parameter name', () => {
  const ofShell = compilePolicy({
    name: 'test',
    default_decision: 'allow',
    guards: [{ name: 'secrets', protocols: ['shell'], paths: ['.env'], reason: 'no' }],
    rules: [],
  });
  const call = { tool: 'shell.run', target: '', capability: 'read', parameters: { content: 'x .env' } };
  expect(decide(ofShell, { ...call, protocol: 'shell' }).decision).toBe('block');
  expect(decide(ofShell, { ...call, protocol: 'mcp' }).decision).toBe('allow');
});
