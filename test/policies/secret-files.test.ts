/**
 * Files that contain keys and credentials, with every way of reading them: tools over MCP, shell lines
 * [policy.secret-files].
 */
import { readFileSync } from 'node:fs';
import { readCallEffects } from '#adapters/sql/effect-reader.ts';
import { buildPolicyDocument } from '#core/configuration/load/policy-document.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { ToolRule } from '#core/contracts/tool-policy.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import type { Effects } from '#core/effects/ports.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { shippedPacks } from '#core/policy/rules/pack.ts';
import { readPolicyFile, simulator } from '../../bin/agentctl/policy-file.ts';
import { callOfLine } from '../support/decide-line.ts';
import { casesOf } from '../support/extent.ts';
import { mcp, packs } from './guarded-paths.ts';
import { harmlessFiles, secretFiles, waysToRead } from './secret-files.ts';

/** Calls that read a file, with their effects, which are the same under every pack. */
const known = new Map<string, readonly (readonly [ToolCall, Effects])[]>();
async function callsFor(path: string) {
  const calls = [mcp({ path }), callOfLine(`cat '${path}'`)];
  const found =
    known.get(path) ?? (await Promise.all(calls.map(async (call) => [call, await readCallEffects(call)] as const)));
  known.set(path, found);
  return found;
}

describe.each(shippedPacks)('[policy.secret-files] the guards of %s', (pack) => {
  const everything: ToolRule = { protocol: '*', tool: '*', decision: 'allow' };
  const tool_policies = { pack: packs.get(pack)!, rules: [everything], disable_guards: [], require_signed: false };
  const policy = compilePolicy(buildPolicyDocument({ tool_policies }));

  test('the secret files of well-known programs are blocked, even under a rule that allows the call', async () => {
    const passed: string[] = [];
    for (const path of casesOf(secretFiles, 1, 4))
      for (const [call, effects] of await callsFor(path))
        if (decideEffects(policy, call, effects).decision !== 'block') passed.push(`${call.tool} ${path}`);
    expect(passed).toEqual([]);
  });

  test('guards do not match names that only resemble secret files', async () => {
    const named: string[] = [];
    for (const path of casesOf(harmlessFiles, 1, 4))
      for (const [call, effects] of await callsFor(path))
        if (/^guard:(?:secret|key|system)-files$/.test(decideEffects(policy, call, effects).matched_rule))
          named.push(path);
    expect(named).toEqual([]);
  });
});

describe.each(['coding-agent', 'pr-writer', 'readonly'])(
  '[policy.secret-files] no call that reads a secret is allowed under %s',
  (pack) => {
    let decide: ReturnType<typeof simulator>;
    beforeAll(async () => {
      decide = simulator(await readPolicyFile(`policies/${pack}.yaml`));
    });
    const some = [
      '.env',
      'wallet.dat',
      '~/.netrc',
      '~/.docker/config.json',
      '~/.config/gh/hosts.yml',
      'terraform.tfstate',
      'id_rsa',
      '.dev.vars',
    ];

    test.each(some)('%s in any command line', async (file) => {
      const passed: string[] = [];
      for (const line of casesOf(waysToRead(file), 3, 4))
        if ((await decide(callOfLine(line))).decision === 'allow') passed.push(line);
      expect(passed).toEqual([]);
    });

    test("secret files in any argument of a server's tools", async () => {
      const passed: string[] = [];
      for (const path of some)
        for (const tool of ['read_file', 'read_text_file', 'search_files', 'copy_file', 'get_file_contents', 'upload'])
          for (const name of ['path', 'file', 'uri', 'paths', 'source', 'input', 'target_file']) {
            const value =
              name === 'paths' ? [path] : name === 'uri' ? `file:///home/a/${path.replace('~/', '')}` : path;
            if ((await decide(mcp({ [name]: value }, tool) as Parameters<typeof decide>[0])).decision === 'allow')
              passed.push(`${tool} ${name} ${path}`);
          }
      expect(passed).toEqual([]);
    });
  },
);

test('[policy.secret-files] guard file names contain no spaces, because text is split at spaces and they would never match', () => {
  for (const pack of shippedPacks) {
    const globs = readFileSync(`policies/${pack}.yaml`, 'utf8').matchAll(/^ {6}- "(.+)"$/gm);
    expect([...globs].flatMap(([, glob]) => (/\s/.test(glob!) ? [glob] : []))).toEqual([]);
  }
});
