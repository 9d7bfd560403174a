/** Guards over paths: which words and which parameters of a call are paths. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { decide } from '#core/policy/rules/decide.ts';

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
    ...{ protocol: 'mcp', tool: 'files.read', target: '', capability: 'read', parameters: {} },
    ...call,
  }).decision === 'block';

test.each<[string, Partial<ToolCall>, boolean]>([
  ['a target that is the path', { target: 'app/.env' }, true],
  ['a target in another case', { target: 'app/.ENV' }, true],
  ['a word of a target', { target: 'cat a .env' }, true],
  ['a path behind a sign', { target: '--file=app/.env' }, true],
  ['a path before a no-break space', { target: 'app/.env\u00a0x' }, true],
  ['a longer name', { target: '.env.example' }, false],
  ['an exception', { target: 'docs/.env' }, false],
  ['an exception beside a path', { target: 'docs/.env .env' }, true],
])('[policy.guards] the target: %s', (_what, call, blocked) => {
  expect(blocks(call)).toBe(blocked);
  expect(blocks({ ...call, protocol: 'shell' })).toBe(blocked);
});

test.each<[string, Record<string, unknown>, boolean]>([
  ['under the name of a path', { file: 'app/.env' }, true],
  ['a word under the name of a path', { files: 'a.txt .env' }, true],
  ['under another name, as one path', { thing: 'app/.env' }, true],
  ['under another name, as a word of a text', { thing: 'please read .env' }, false],
  ['under another name, behind a line break', { thing: '/a\n.env' }, false],
  ['under another name, a path with a blank', { thing: '/home/My Files/.env' }, true],
  ['under the name of a text', { content: '.env' }, false],
  ['in a list', { paths: ['a', { path: '.env' }] }, true],
  ['as a key', { '.env': 1 }, true],
  ['in parts: folder and name', { dir: 'app', name: '.env' }, true],
  ['in parts: folder with a slash and name', { dir: 'app//', name: '.env' }, true],
  ['in parts: name and ending', { name: '', extension: 'env' }, true],
  ['in parts that make another file', { dir: 'app', name: '.env.example' }, false],
])('[policy.guards] a parameter: %s', (_what, parameters, blocked) => {
  expect(blocks({ parameters })).toBe(blocked);
});

test('[policy.guards] a guard of the protocol shell looks in every text under any name', () => {
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
