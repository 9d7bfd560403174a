/** Recursive reads of a folder over MCP, under the shipped packs. */
import { readCallEffects } from '#adapters/sql/effect-reader.ts';
import { buildPolicyDocument } from '#core/configuration/load/policy-document.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { mcp, packs } from './guarded-paths.ts';

describe.each(['readonly', 'pr-writer'])('[pack.shipped] %s: recursive reads of a folder over MCP', (pack) => {
  const policy = compilePolicy(
    buildPolicyDocument({
      tool_policies: { pack: packs.get(pack)!, rules: [], require_signed: false, disable_guards: [] },
    }),
  );
  const decided = async (tool: string, parameters: Record<string, unknown>) => {
    const call = mcp(parameters, tool);
    return decideEffects(policy, call, await readCallEffects(call)).decision;
  };

  test('a recursive read is reviewed if contents are shown, and allowed for names or a single file', async () => {
    for (const tool of ['read_files', 'files.read_directory', 'read-folder'])
      expect([tool, await decided(tool, { path: 'config', recursive: true })]).toEqual([tool, 'review']);
    for (const tool of ['list_files', 'list_directory', 'get_repository_tree'])
      expect([tool, await decided(tool, { path: 'config', recursive: true })]).toEqual([tool, 'allow']);
    for (const parameters of [{ recursive: 'true' }, { recursive: 1 }, { recurse: true }, { Recursive: true }])
      expect([parameters, await decided('read_files', { path: 'config', ...parameters })]).toEqual([
        parameters,
        'review',
      ]);
    for (const tool of ['read_all_files', 'read_directory', 'fs.read_folder_contents'])
      expect([tool, await decided(tool, { path: 'config' })]).toEqual([tool, 'review']);
    expect(await decided('read_files', { path: 'src/a.ts', recursive: false })).toBe('allow');
    expect(await decided('read_file', { path: 'src/a.ts' })).toBe('allow');
  });

  test.each([
    ['search_content', { pattern: 'x', path: '.', hidden: true }, 'review'],
    ['search_code', { query: 'x', includeIgnoredFiles: true }, 'review'],
    ['search_files', { pattern: 'x', no_ignore: 'true' }, 'review'],
    ['search_content', { pattern: 'x', path: '.', hidden: false }, 'allow'],
    ['list_directory', { path: '.', hidden: true }, 'allow'],
  ] as const)('a search of files that it otherwise leaves out: %s %j → %s', async (tool, parameters, decision) => {
    expect(await decided(tool, parameters)).toBe(decision);
  });

  test.each([
    ['read_file', { path: '.en?' }, 'review'],
    ['read_file', { path: '.[e]nv' }, 'review'],
    ['read_files', { paths: ['src/a.ts', '*'] }, 'review'],
    ['files.read_multiple_files', { paths: ['**/*'] }, 'review'],
    ['read_many_files', { include: ['**'] }, 'review'],
    ['read_many_files', { include: ['src/a.ts'] }, 'allow'],
    ['read_file', { path: 'src/[id]/page.tsx' }, 'allow'],
    ['read_file', { path: 'src/[...all].ts', note: 'what?' }, 'allow'],
    ['read_resource', { uri: 'https://example.com/a?b=*' }, 'allow'],
    ['search_files', { path: 'src', pattern: '*.ts' }, 'allow'],
    ['list_files', { path: 'src/*.ts' }, 'allow'],
  ] as const)('a pattern instead of a path: %s %j → %s', async (tool, parameters, decision) => {
    expect(await decided(tool, parameters)).toBe(decision);
  });
});
